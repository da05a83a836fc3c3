import { createHmac } from 'node:crypto';
import type { Workspace } from './store/workspace.ts';
import type { Json, Submission } from './store/types.ts';

/** The address that a form calls after each submission. */
export interface WebhookInput {
  formId: string;
  url: string;
  /** Signs the calls. Without it, they are not signed. */
  secret?: string;
}

/** A webhook that was added. */
export interface Webhook {
  /** The calls so far, oldest first; each is the status of the response, 0 when there was none. */
  readonly calls: ReadonlyArray<Promise<number>>;
  /** Calls again for a submission, as the service does after a failed call. Returns the status of the response, 0 when there was none. */
  redeliver(submissionId: string): Promise<number>;
  /** Ends it. */
  remove(): void;
}

/** How long a call may take, milliseconds. */
const TIMEOUT_MS = 10_000;

/** The webhooks of a workspace: each is called once for every submission that is finished from now on. */
export class Webhooks {
  private readonly workspace: Workspace;
  private readonly stopping = new AbortController();

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  add({ formId, url, secret }: WebhookInput): Webhook {
    const calls: Array<Promise<number>> = [];
    const call = async (submission: Submission): Promise<number> => {
      const sent = this.send(url, this.bodyOf(formId, submission), secret);
      calls.push(sent);
      return await sent;
    };
    const remove = this.workspace.onFinished((submission) => {
      if (submission.formId === formId) void call(submission.row);
    });
    const redeliver = async (submissionId: string): Promise<number> => {
      const submission = this.workspace.log(formId).find(submissionId);
      if (!submission) throw new Error(`There is no submission ${submissionId}`);
      return await call(submission);
    };
    return { calls, redeliver, remove };
  }

  /** Aborts the calls that have no response yet. */
  close(): void {
    this.stopping.abort();
  }

  private bodyOf(formId: string, { id, finishedAt, answers }: Submission): string {
    const questions = this.workspace.form(formId)?.questions ?? [];
    const entries = questions.flatMap(({ slug, label, kind }) => {
      const value = Object.hasOwn(answers, slug) ? answers[slug] : undefined;
      return value === undefined ? [] : [[slug, { field: label, value, type: kind }] as const];
    });
    const webhook: Json = {
      id,
      submitted_at: new Date(finishedAt).toISOString(),
      answers: Object.fromEntries(entries),
    };
    return JSON.stringify({ webhook });
  }

  private async send(url: string, body: string, secret: string | undefined): Promise<number> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (secret !== undefined) headers['x-neeto-webhook-signature'] = signatureOf(body, secret);
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return await fetch(url, { method: 'POST', headers, body, signal }).then(
      ({ status }) => status,
      () => 0,
    );
  }
}

/** The signature of a body: what the header `x-neeto-webhook-signature` holds. */
export function signatureOf(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
