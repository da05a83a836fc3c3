import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Context } from '../http/operation.ts';
import { keepFile } from '../pages/files.ts';
import type { FormInput, MemberInput, SubmissionInput } from '../store/types.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What a workspace contains at first. */
export interface WorkspaceSeed {
  members?: MemberInput[];
  forms?: FormSeed[];
}

type FormSeed = FormInput & { submissions?: SubmissionSeed[] };

/** `uploads` has a text file for each answered file question, by its slug. */
type SubmissionSeed = SubmissionInput & { uploads?: Record<string, Record<'name' | 'type' | 'text', string>> };

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/** Fills the empty workspace of an emulator. */
export function fillWorkspace(context: Context, seed: WorkspaceSeed): void {
  const { workspace } = context;
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const { uploads = {}, ...submission } of submissions) {
      const answers = { ...submission.answers };
      for (const [slug, { text, ...upload }] of Object.entries(uploads))
        answers[slug] = { files: [keepFile(context, { ...upload, data: Buffer.from(text) })] };
      workspace.addSubmission(form.id, { ...submission, answers });
    }
  }
}

interface Sample {
  members: Array<MemberInput & { joined: number }>;
  forms: SampleForm[];
}

type SampleForm = FormInput & {
  created: number;
  submissions: Record<'count' | 'newest' | 'every', number>;
  examples: SubmissionSeed[];
};

const sample = parse(readFileSync(join(import.meta.dirname, 'sample.yaml'), 'utf8'), { merge: true }) as Sample;

/** The workspace of a small company, whose history ends at this time (milliseconds since 1970 UTC). */
export function sampleWorkspace(until = Date.parse('2026-02-09T05:20:59.464Z')): WorkspaceSeed {
  const members = sample.members.map(({ joined, ...member }) => ({ ...member, createdAt: until - joined * DAY }));
  return { members, forms: sample.forms.map((form) => formSeed(form, until)) };
}

function formSeed({ created, submissions, examples, ...form }: SampleForm, until: number): FormSeed {
  const { count, newest, every } = submissions;
  const rows = Array.from({ length: count }, (_, index) => ({
    ...examples[index % examples.length],
    createdAt: Math.round(until - (newest + (count - 1 - index) * every) * DAY),
  }));
  return { ...form, createdAt: until - created * DAY, submissions: rows };
}
