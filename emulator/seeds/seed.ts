import type { FormInput, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
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

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/**
 * Fills an empty workspace.
 * @param origin the address under which the emulator is reached, for the addresses of files
 */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed, origin: string): void {
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const file of seed.files ?? []) workspace.addFile(file);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const { answers = {}, ...submission } of submissions) {
      const text = JSON.stringify(answers).replaceAll('"seed:/files/', `"${origin}/files/`);
      workspace.addSubmission(form.id, { ...submission, answers: JSON.parse(text) as typeof answers });
    }
  }
}
