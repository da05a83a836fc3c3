import type { FormInput, Json, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

/** A form with what was submitted to it. */
export type FormSeed = FormInput & { submissions?: SubmissionInput[] };

/** What a workspace starts with. */
export interface WorkspaceSeed {
  /** Default: one admin. */
  members?: MemberInput[];
  forms?: FormSeed[];
  /** Uploaded files; in an answer, `seed:/files/{id}/{name}` becomes its full address. */
  files?: StoredFile[];
}

const ADMIN: MemberInput = {
  email: 'admin@example.com',
  firstName: 'Ada',
  lastName: 'Admin',
  organizationRole: 'Admin',
};

/**
 * Fills an empty workspace.
 * @param origin the address under which the emulator is reached, for the addresses of files
 */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed, origin: string): void {
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const file of seed.files ?? []) workspace.addFile(file);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const submission of submissions) {
      workspace.addSubmission(form.id, { ...submission, answers: withOrigins(submission.answers ?? {}, origin) });
    }
  }
}

function withOrigins(values: Record<string, Json>, origin: string): Record<string, Json> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, withOrigin(value, origin)]));
}

function withOrigin(value: Json, origin: string): Json {
  if (typeof value === 'string') return value.startsWith('seed:/files/') ? origin + value.slice('seed:'.length) : value;
  if (Array.isArray(value)) return value.map((item) => withOrigin(item, origin));
  return value === null || typeof value !== 'object' ? value : withOrigins(value, origin);
}
