import type { INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { ExpiringMap } from './expiringMap';
import type { PollSession } from './session';

/** Forms named in one report; a workspace may have hundreds. */
const MAX_NAMED = 5;

/** ms after which the same report is repeated. */
const REPEAT_MS = 60 * 60_000;

/** What was reported in this process, by trigger and kind of report: IDs of forms, or the kind of failure of a whole poll. */
const reported = new ExpiringMap<Set<string>>();

type ReportKind = 'forms' | 'poll' | 'workspace';

/** What a report needs of a session. */
export interface ReportSession extends Pick<PollSession, 'key' | 'clock' | 'node'> {
  context: Pick<PollSession['context'], '__emitError'>;
}

/** A form that could not be read. */
export interface FormFailure {
  formId: string;
  failure: NodeApiError | NodeOperationError;
}

/**
 * Describes forms that could not be read while others could. A form is reported once an hour, however its message changes, until it
 * is read again. A poll may end before it comes to every form.
 *
 * @param read IDs of the forms that were read
 * @param forms how many are watched
 * @returns undefined when there is nothing to report now
 */
export function failedFormsReport(
  session: ReportSession,
  failures: FormFailure[],
  read: string[],
  forms: number,
): NodeOperationError | undefined {
  const failed = failures.map(({ formId }) => formId);
  if (!isDue(session, 'forms', failed, read)) return undefined;
  const named = failures.slice(0, MAX_NAMED).map(({ formId, failure }) => `${formId} (${failure.message})`);
  const message = `${failures.length} of ${forms} forms could not be read: ${named.join('; ')}`;
  return new NodeOperationError(session.node, message, {
    description:
      'The other forms are not affected, and no submission of these is lost: they follow when the forms can be read again. Remove a form that no longer exists from the trigger.',
  });
}

/** Says that the trigger starts anew in another workspace, and that n8n may have forgotten that it did so before. */
export function lostReport(session: ReportSession): NodeOperationError | undefined {
  if (!isDue(session, 'workspace', ['state'])) return undefined;
  const message =
    'The credential leads to another workspace than the stored state: the trigger starts there with its new submissions';
  return new NodeOperationError(session.node, message, {
    description:
      'Submissions that arrived before this poll are not delivered. Publish the workflow again, so that n8n stores where the trigger is now. Without that, n8n forgets it at every restart when it polls with its scheduler (N8N_SCHEDULER_POLL_TRIGGERS_ENABLED) and N8N_POLLER_DURABLE_CURSORS_ENABLED is not true.',
  });
}

/**
 * Sends a report beside what the poll emits: to the error output if the node has one, else as a failed execution of its own.
 *
 * @returns the item for the error output
 */
export function report(session: ReportSession, error: NodeOperationError | undefined): INodeExecutionData[] {
  if (error === undefined) return [];
  if (hasErrorOutput(session)) return [errorItem(error)];
  session.context.__emitError(error);
  return [];
}

/**
 * What a failing poll emits when the node has an error output: one item, repeated at most once an hour for the same failure.
 *
 * @returns undefined when the node has no error output: then the error is thrown
 */
export function errorOutput(
  session: ReportSession,
  error: NodeApiError | NodeOperationError,
): INodeExecutionData[] | undefined {
  if (!hasErrorOutput(session)) return undefined;
  const code = error instanceof NodeApiError ? `${error.httpCode ?? ''} ${error.failure?.cause ?? ''}` : error.message;
  return isDue(session, 'poll', [code]) ? [errorItem(error)] : [];
}

/** After a poll that reads something, the next that fails is reported at once. */
export function forgetFailedPolls(session: ReportSession): void {
  reported.delete(keyOf(session, 'poll'));
}

/** Whether something was found that has not been reported for an hour, or was read since without being found. */
function isDue(session: ReportSession, kind: ReportKind, found: string[], read: string[] = []): boolean {
  const now = session.clock.now();
  const known = reported.get(keyOf(session, kind), now) ?? new Set();
  for (const id of read) if (!found.includes(id)) known.delete(id);
  if (found.every((id) => known.has(id))) return false;
  reported.set(keyOf(session, kind), new Set([...known, ...found]), now, REPEAT_MS);
  return true;
}

function keyOf(session: ReportSession, kind: ReportKind): string {
  return `${kind} ${session.key}`;
}

function hasErrorOutput({ node }: ReportSession): boolean {
  return node.onError === 'continueErrorOutput';
}

function errorItem(error: Error): INodeExecutionData {
  return { json: { error: error.message } };
}
