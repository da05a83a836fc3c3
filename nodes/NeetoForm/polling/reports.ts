/** What a trigger says beside its submissions, and how often. */

import type { INodeExecutionData, NodeOperationError } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { ExpiringMap } from './expiringMap';
import { formsUnreadable, startedElsewhere, type PollError } from './messages';
import type { PollSession } from './session';

/** Forms named in one report; a workspace may have hundreds. */
const MAX_NAMED = 20;

/** ms after which the same report is repeated. */
const REPEAT_MS = 60 * 60_000;

/** What was reported in this process, by trigger and subject: a form, a kind of failure of a whole poll, or the workspace. */
const reported = new ExpiringMap<true>();

/** A form that could not be read. */
export interface FormFailure {
  formId: string;
  failure: PollError;
}

/**
 * Describes forms that could not be read while others could. A form is reported once an hour, however often it fails and
 * however its message changes.
 *
 * @param forms how many are watched
 * @returns undefined when there is nothing to report now
 */
export function failedFormsReport(
  session: PollSession,
  failures: FormFailure[],
  forms: number,
): NodeOperationError | undefined {
  const named: string[] = [];
  // Those that have no place in this report are named in the next.
  for (const { formId, failure } of failures)
    if (named.length < MAX_NAMED && isDue(session, 'form', formId)) named.push(`${formId} (${failure.message})`);
  return named.length === 0 ? undefined : formsUnreadable(session, named, failures.length, forms);
}

/** Says, once an hour, that the trigger starts anew in another workspace. */
export function lostReport(session: PollSession): NodeOperationError | undefined {
  return isDue(session, 'workspace', 'lost') ? startedElsewhere(session) : undefined;
}

/**
 * Sends a report beside what the poll emits: to the error output if the node has one, else as a failed execution of its own.
 *
 * @returns the item for the error output
 */
export function report(session: PollSession, error: NodeOperationError | undefined): INodeExecutionData[] {
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
export function errorOutput(session: PollSession, error: PollError): INodeExecutionData[] | undefined {
  if (!hasErrorOutput(session)) return undefined;
  const code = error instanceof NodeApiError ? `${error.httpCode ?? ''} ${error.failure?.cause ?? ''}` : error.message;
  return isDue(session, 'poll', code) ? [errorItem(error)] : [];
}

/** After a poll that reads something, the next that fails is reported at once. */
export function forgetFailedPolls(session: PollSession): void {
  reported.deleteAll(subject(session, 'poll'));
}

type Kind = 'form' | 'poll' | 'workspace';

/** Whether something has not been reported for an hour. It is then. */
function isDue(session: PollSession, kind: Kind, name: string): boolean {
  const [now, key] = [session.clock.now(), `${subject(session, kind)}${name}\n`];
  if (reported.get(key, now)) return false;
  reported.set(key, true, now, REPEAT_MS);
  return true;
}

/** What the subjects of one kind begin with. */
function subject({ key }: PollSession, kind: Kind): string {
  return `${key} ${kind}\n`;
}

function hasErrorOutput({ node }: PollSession): boolean {
  return node.onError === 'continueErrorOutput';
}

function errorItem(error: Error): INodeExecutionData {
  return { json: { error: error.message } };
}
