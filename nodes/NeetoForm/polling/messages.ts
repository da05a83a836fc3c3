/** What users read of the trigger alone: what happened, then what to change. Texts about a request are in `../messages`. */

import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import { toNodeApiError } from '../api/errors';
import type { RateLimit } from '../api/failure';

/** An error of a poll. */
export type PollError = NodeApiError | NodeOperationError;

/** The trigger that an error is about. */
interface Trigger {
  node: INode;
}

/** Any error of a poll as n8n shows it; one that was not foreseen says that the service may have changed. */
export function toPollError(node: INode, error: unknown): PollError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  if (error instanceof UserError) return new NodeOperationError(node, error);
  const detail = error instanceof Error ? error.message : String(error);
  return toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail }, { what: 'forms' });
}

/** The time of a poll was not enough, or is not for the pause after a 429. @param what it had to read, as in `to read the list of forms` */
export function tooSlow({ node, refusal }: Trigger & { refusal?: RateLimit }, what: string): NodeApiError {
  if (refusal !== undefined) return toNodeApiError(node, refusal, { what: 'forms' });
  const message = `The service responds too slowly to read ${what} within one poll`;
  const description =
    'Nothing is lost: the next poll tries again. If it happens again and again, check the connection to the service.';
  return new NodeApiError(node, { message }, { message, description, failure: { cause: 'temporarily-unavailable' } });
}

/** Two nodes have one ID. @param twin name of the other one */
export function twinRefused({ node }: Trigger, twin: string): NodeOperationError {
  return new NodeOperationError(node, `Two triggers have the same node ID: '${node.name}' and '${twin}'`, {
    description:
      'n8n stores what a trigger has delivered under its node ID, so each would take the submissions of the other for delivered. Delete one of the two, add it again, and publish the workflow.',
  });
}

/** @param startFrom ms */
export function startInFuture({ node }: Trigger, startFrom: number): NodeOperationError {
  return new NodeOperationError(node, `'Start From' is in the future: ${new Date(startFrom).toISOString()}`, {
    description:
      "Enter a time in the past, or remove the option to start with new submissions. A time without a time zone is read in the workflow's time zone; a date alone means 00:00 UTC.",
  });
}

/** There is nothing to make a test event of. */
export function noActiveForm({ node }: Trigger): NodeOperationError {
  return new NodeOperationError(node, 'The workspace has no active form', {
    description: 'Create a form in NeetoForm, then fetch a test event again.',
  });
}

/** Some forms could not be read. @param named some of them, with their failures @param failed how many @param watched of how many */
export function formsUnreadable(
  { node }: Trigger,
  named: string[],
  failed: number,
  watched: number,
): NodeOperationError {
  const message = `${failed} of ${watched} forms could not be read: ${named.join('; ')}`;
  return new NodeOperationError(node, message, {
    description:
      'No submission of these is lost: they follow when the forms can be read again, and the other forms are not held back. If you chose the forms, remove one that no longer exists.',
  });
}

/** The trigger starts anew in another workspace, and n8n may have forgotten that it did so before. */
export function startedElsewhere({ node }: Trigger): NodeOperationError {
  const message =
    'The credential leads to another workspace than the stored state: the trigger starts there with its new submissions';
  return new NodeOperationError(node, message, {
    description:
      'Submissions that arrived before this poll are not delivered. Publish the workflow again, so that n8n stores where the trigger is now. Without that, n8n forgets it at every restart when it polls with its scheduler (N8N_SCHEDULER_POLL_TRIGGERS_ENABLED) and N8N_POLLER_DURABLE_CURSORS_ENABLED is not true.',
  });
}
