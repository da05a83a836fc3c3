import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { FieldValue, FormInput, Json, MemberInput } from '../store/types.ts';
import type { FormSeed, WorkspaceSeed } from './seed.ts';

const DAY = 24 * 60 * 60 * 1000;

interface Sample {
  members: Array<MemberInput & { joined: number }>;
  forms: SampleForm[];
}

type SampleForm = FormInput & {
  created: number;
  submissions: Record<'count' | 'newest' | 'every', number>;
  answers: InTurn<Json>;
  columns?: InTurn<FieldValue['data']>;
  uploads?: InTurn<{ name: string; text: string }>;
};

type InTurn<T> = Record<string, Array<T | null>>;

const sample = parse(readFileSync(join(import.meta.dirname, 'sample.yaml'), 'utf8')) as Sample;

/**
 * A workspace as a small company might have it: three forms with answers and uploaded files, and six members.
 * @param until when the newest submission was made, milliseconds since 1970 UTC
 */
export function sampleWorkspace(until = Date.parse('2026-02-09T05:20:59.464Z')): WorkspaceSeed {
  const members = sample.members.map(({ joined, ...member }) => ({ ...member, createdAt: until - joined * DAY }));
  return { members, forms: sample.forms.map((form) => formSeed(form, until)) };
}

function formSeed({ created, submissions, answers, columns, uploads, ...form }: SampleForm, until: number): FormSeed {
  const { count, newest, every } = submissions;
  const rows = Array.from({ length: count }, (_, index) => ({
    createdAt: Math.round(until - (newest + (count - 1 - index) * every) * DAY),
    answers: Object.fromEntries(turn(answers, index)),
    fieldValues: turn(columns, index).map(([id, data]) => ({ id: `${id}-${index}`, field_id: id, data })),
    uploads: Object.fromEntries(
      turn(uploads, index).map(([slug, { name, text }]) => [
        slug,
        { name, type: 'text/plain', data: Buffer.from(text) },
      ]),
    ),
  }));
  return { ...form, createdAt: until - created * DAY, submissions: rows };
}

/** What each list has for the nth submission. */
function turn<T>(lists: InTurn<T> = {}, nth: number): Array<[string, T]> {
  return Object.entries(lists).flatMap(([name, values]) => {
    const value = values[nth % values.length] ?? null;
    return value === null ? [] : [[name, value] as [string, T]];
  });
}
