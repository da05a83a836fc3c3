import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fileUrl } from '../pages/files.ts';
import type { FieldValue, FormInput, Json, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What a workspace starts with. */
export interface WorkspaceSeed {
  /** Default: one admin. */
  members?: MemberInput[];
  forms?: FormSeed[];
  /** Files that answers name by their address. */
  files?: StoredFile[];
}

/** A form with what was submitted to it: a submission has a file for each of the questions in `uploads`, by slug. */
type FormSeed = FormInput & {
  submissions?: Array<SubmissionInput & { uploads?: Record<string, Omit<StoredFile, 'id'>> }>;
};

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/**
 * Fills an empty workspace.
 * @param origin where the emulator is reached, for the addresses of files
 */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed, origin: string): void {
  for (const file of seed.files ?? []) workspace.addFile(file);
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const { uploads = {}, ...submission } of submissions) {
      const answers = { ...submission.answers };
      for (const [slug, upload] of Object.entries(uploads)) {
        const file = workspace.addFile(upload);
        answers[slug] = { files: [{ name: file.name, url: fileUrl(origin, file) }] };
      }
      workspace.addSubmission(form.id, { ...submission, answers });
    }
  }
}

/** Everything that is in a workspace, for another one. It continues with the same new IDs, because the API deletes nothing. */
export function seedOf(workspace: Workspace): WorkspaceSeed {
  const { members, files } = workspace;
  const forms = workspace.forms.map((form) => ({ ...form, submissions: workspace.submissions(form.id) }));
  return { members, forms, files: [...files.values()] };
}

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
    answers: inTurn(answers, index, (answer) => answer),
    fieldValues: Object.values(inTurn(columns, index, (data, id) => ({ id: `${id}-${index}`, field_id: id, data }))),
    uploads: inTurn(uploads, index, ({ name, text }) => ({ name, type: 'text/plain', data: Buffer.from(text) })),
  }));
  return { ...form, createdAt: until - created * DAY, submissions: rows };
}

/** What the nth submission has of each list. */
function inTurn<T, R>(lists: InTurn<T> = {}, nth: number, make: (value: T, name: string) => R): Record<string, R> {
  const made = Object.entries(lists).flatMap(([name, values]) => {
    const value = values[nth % values.length] ?? null;
    return value === null ? [] : [[name, make(value, name)] as const];
  });
  return Object.fromEntries(made);
}
