import type { StoredFile, Submission } from '../store/types.ts';
import type { Workspace } from '../store/workspace.ts';
import type { FormSeed, SubmissionSeed, WorkspaceSeed } from './seed.ts';

interface Snapshot {
  members: WorkspaceSeed['members'];
  forms: FormSeed[];
  files: Array<Omit<StoredFile, 'data'> & { base64: string }>;
}

/** The members, forms, submissions and files of a workspace, as JSON. */
export function toSnapshot(workspace: Workspace): string {
  const forms = workspace.forms.map((form) => ({
    ...form,
    submissions: workspace.submissions(form.id).map(toSeed),
  }));
  const files = [...workspace.files.values()].map(({ data, ...file }) => {
    return { ...file, base64: Buffer.from(data).toString('base64') };
  });
  return JSON.stringify({ members: workspace.members, forms, files } satisfies Snapshot);
}

/** The seed of the workspace that a snapshot was made of. */
export function fromSnapshot(text: string): WorkspaceSeed {
  const { members, forms, files } = JSON.parse(text) as Snapshot;
  return {
    members,
    forms,
    files: files.map(({ base64, ...file }) => ({ ...file, data: Buffer.from(base64, 'base64') })),
    // The IDs that the first seed of a workspace gives are in use.
    idSeed: Date.now(),
  };
}

function toSeed({ id, createdAt, visibleAt, answers, fieldValues, responses }: Submission): SubmissionSeed {
  return { id, createdAt, answers, fieldValues, responses, ...(Number.isFinite(visibleAt) && { visibleAt }) };
}
