import type { FormInput, MemberInput, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

/** A form with what was submitted to it. */
export type FormSeed = FormInput & { submissions?: SubmissionInput[] };

/** What a workspace starts with. */
export interface WorkspaceSeed {
  /** Default: one admin. */
  members?: MemberInput[];
  forms?: FormSeed[];
}

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/** Fills an empty workspace. */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed): void {
  for (const member of seed.members ?? [ADMIN]) workspace.addMember(member);
  for (const { submissions = [], ...input } of seed.forms ?? []) {
    const form = workspace.addForm(input);
    for (const submission of submissions) workspace.addSubmission(form.id, submission);
  }
}
