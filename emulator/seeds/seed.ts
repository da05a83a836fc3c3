import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fileUrl } from '../pages/files.ts';
import type { FormInput, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

const DAY = 24 * 60 * 60 * 1000;

/** What a workspace contains at first. `files` are those whose addresses are in answers. */
export interface WorkspaceSeed {
  members?: MemberInput[];
  forms?: FormSeed[];
  files?: StoredFile[];
}

type FormSeed = FormInput & { submissions?: SubmissionSeed[] };

/** `uploads` has a text file for each answered file question, by its slug. */
type SubmissionSeed = SubmissionInput & { uploads?: Record<string, Record<'name' | 'type' | 'text', string>> };

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/** Fills an empty workspace of the emulator with this origin. */
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

/** The whole content of a workspace. One filled with it gives new records the same IDs: they are counted, and the API deletes nothing. */
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
