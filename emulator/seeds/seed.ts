import { fileUrl } from '../pages/files.ts';
import type { FormInput, MemberInput, StoredFile, SubmissionInput } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';

/** A submission, with a file for each of these questions, by slug. */
export type SubmissionSeed = SubmissionInput & { uploads?: Record<string, Omit<StoredFile, 'id'>> };

/** A form with what was submitted to it. */
export type FormSeed = FormInput & { submissions?: SubmissionSeed[] };

/** What a workspace starts with. */
export interface WorkspaceSeed {
  /** Default: one admin. */
  members?: MemberInput[];
  forms?: FormSeed[];
  /** Files that answers name by their address. */
  files?: StoredFile[];
  /** How many IDs were generated before. */
  generatedIds?: number;
}

const ADMIN = { email: 'admin@example.com', firstName: 'Ada', lastName: 'Admin', organizationRole: 'Admin' };

/**
 * Fills an empty workspace.
 * @param origin where the emulator is reached, for the addresses of files
 */
export function fillWorkspace(workspace: Workspace, seed: WorkspaceSeed, origin: string): void {
  workspace.generatedIds = seed.generatedIds ?? 0;
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

/** Everything that is in a workspace, for another one. */
export function seedOf(workspace: Workspace): WorkspaceSeed {
  const { members, files, generatedIds } = workspace;
  const forms = workspace.forms.map((form) => ({ ...form, submissions: workspace.submissions(form.id) }));
  return { members, forms, files: [...files.values()], generatedIds };
}
