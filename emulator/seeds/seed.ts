import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fileUrl } from '../pages/files.ts';
import type { FormInput, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What a workspace contains at first. */
export interface WorkspaceSeed {
  /** Default: one admin. */
  members?: MemberInput[];
  forms?: FormSeed[];
  /** The files whose addresses are in answers. */
  files?: StoredFile[];
}

type FormSeed = FormInput & { submissions?: SubmissionSeed[] };

/** A submission. `uploads` has a text file for each file question that was answered, by the question's slug. */
type SubmissionSeed = SubmissionInput & { uploads?: Record<string, Record<'name' | 'type' | 'text', string>> };

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/**
 * Fills an empty workspace.
 * @param origin the origin of the emulator, for the addresses of files
 */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed, origin: string): void {
  for (const file of seed.files ?? []) workspace.addFile(file);
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const { uploads = {}, ...submission } of submissions) {
      const answers = { ...submission.answers };
      for (const [slug, { text, ...upload }] of Object.entries(uploads)) {
        const file = workspace.addFile({ ...upload, data: Buffer.from(text) });
        answers[slug] = { files: [{ name: file.name, url: fileUrl(origin, file) }] };
      }
      workspace.addSubmission(form.id, { ...submission, answers });
    }
  }
}

/**
 * The whole content of a workspace. A workspace filled with it gives new records the same IDs as this one would, because the IDs are
 * counted and the API deletes nothing.
 */
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
  examples: SubmissionSeed[];
};

const sample = parse(readFileSync(join(import.meta.dirname, 'sample.yaml'), 'utf8'), { merge: true }) as Sample;

/**
 * The workspace of a small company: three forms with answers and uploaded files, and six members.
 * @param until the end of its history, in milliseconds since 1970 UTC. The sample gives times in days before it
 */
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
