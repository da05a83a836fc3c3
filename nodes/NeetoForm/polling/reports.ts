/** What a trigger says beside its submissions: its errors, and reports of forms that failed. Texts about a request are in `../api/messages`. */

import type { INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import { operationError } from '../api/errors';
import { toNodeApiError } from '../api/messages';
import { withoutKey } from '../api/request';
import type { PollSession } from './session';

/** How many forms one report names. A workspace may have hundreds. */
const MAX_NAMED = 20;

/** ms after which the same report is repeated. */
const REPEAT_MS = 60 * 60_000;

export type PollError = NodeApiError | NodeOperationError;

/** A form that could not be read. */
export interface FormFailure {
  formId: string;
  title?: string;
  failure: PollError;
}

/** Any error of a poll as n8n shows it. One that was not foreseen says that the service may have changed. */
export function toPollError(node: INode, error: unknown): PollError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  if (error instanceof UserError) return operationError(node, error);
  const detail = error instanceof Error ? error.message : String(error);
  return toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail }, { what: 'forms' });
}

/** The credential of an active trigger leads to another workspace than its state. */
export function otherWorkspace(node: INode): NodeOperationError {
  return operationError(
    node,
    'The credential leads to another workspace than the one in which this trigger was published',
    'Publish the workflow again to start in that workspace with its new submissions, or change the credential back. Until then, no submission is delivered, and none is lost.',
  );
}

/** Two nodes have one ID. @param twin name of the other one */
export function twinRefused(node: INode, twin: string): NodeOperationError {
  return operationError(
    node,
    `Two triggers have the same node ID: '${node.name}' and '${twin}'`,
    'n8n stores what a trigger has delivered under its node ID, so each would take the submissions of the other for delivered. Delete one of the two, add it again, and publish the workflow.',
  );
}

/** Start From of a first publication is in the future. @param startFrom ms */
export function startInFuture(node: INode, startFrom: number): NodeOperationError {
  return operationError(
    node,
    `'Start From' is in the future: ${new Date(startFrom).toISOString()}`,
    "Enter a time in the past, or remove the option to start with new submissions. A time without a time zone is read in the workflow's time zone; a date alone means 00:00 UTC.",
  );
}

/**
 * Reports forms that could not be read while others could, each once an hour: to the error output if the node has one, else as a failed execution.
 *
 * @param watched how many forms are watched
 * @returns the items for the error output: n8n puts every item there whose `json` has `error` and nothing else
 */
export async function reportFailures(
  session: PollSession,
  failures: FormFailure[],
  watched: number,
): Promise<INodeExecutionData[]> {
  const named: string[] = [];
  // The report names twenty forms at most. The others are named in the next one.
  for (const { formId, title, failure } of failures)
    if (named.length < MAX_NAMED && isReportDue(session, `form ${formId}`))
      named.push(`${title ? `${title} (${formId})` : formId}: ${failure.message}`);
  if (named.length === 0) return [];
  // Titles and the words in failures come from the service. They may contain the API key.
  const text = await withoutKey(session.context, named.join('; '));
  const error = operationError(
    session.node,
    `${failures.length} of ${watched} forms could not be read: ${text}`,
    'No submission of these is lost: they follow when the forms can be read again, and the other forms are not held back. If you chose the forms, remove one that no longer exists.',
  );
  if (session.hasErrorOutput) return [{ json: { error: error.message } }];
  session.context.__emitError(error);
  return [];
}

/** What a failing poll emits: one item an hour for the same failure. @returns undefined when the node has no error output */
export function errorOutput(session: PollSession, error: PollError): INodeExecutionData[] | undefined {
  if (!session.hasErrorOutput) return undefined;
  // The message may differ each time. The status and the cause tell one kind of failure from another.
  const code = error instanceof NodeApiError ? `${error.httpCode ?? ''} ${error.failure?.cause ?? ''}` : error.message;
  return isReportDue(session, `poll ${code}`) ? [{ json: { error: error.message } }] : [];
}

/** Whether something was not reported within the last hour. Then it counts as reported now. */
function isReportDue({ memory: { reported }, clock }: PollSession, subject: string): boolean {
  const now = clock.now();
  // A clock that was set back repeats a report.
  if (Math.abs(now - (reported.get(subject) ?? -Infinity)) < REPEAT_MS) return false;
  reported.set(subject, now);
  return true;
}
