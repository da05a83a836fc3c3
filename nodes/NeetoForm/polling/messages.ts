/** What users read of the trigger alone: what happened, then what to change. Texts about a request are in `../api/messages`. */

import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, UserError } from 'n8n-workflow';
import { operationError } from '../api/errors';
import { toNodeApiError } from '../api/messages';

export type PollError = NodeApiError | NodeOperationError;

/** Any error of a poll as n8n shows it. One that was not foreseen says that the service may have changed. */
export function toPollError(node: INode, error: unknown): PollError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  if (error instanceof UserError) return operationError(node, error);
  const detail = error instanceof Error ? error.message : String(error);
  return toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail }, { what: 'forms' });
}

/** The credential of an active trigger leads to another workspace than its state. */
export function otherWorkspace(node: INode): NodeOperationError {
  const message = 'The credential leads to another workspace than the one in which this trigger was published';
  return operationError(
    node,
    message,
    'Publish the workflow again to start in that workspace with its new submissions, or change the credential back. Until then, no submission is delivered, and none is lost.',
  );
}

/** Two nodes have one ID. @param twin name of the other one */
export function twinRefused(node: INode, twin: string): NodeOperationError {
  const message = `Two triggers have the same node ID: '${node.name}' and '${twin}'`;
  return operationError(
    node,
    message,
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

/** Some forms could not be read. @param named some of them, with their failures @param failed how many @param watched of how many */
export function formsUnreadable(node: INode, named: string, failed: number, watched: number): NodeOperationError {
  const message = `${failed} of ${watched} forms could not be read: ${named}`;
  return operationError(
    node,
    message,
    'No submission of these is lost: they follow when the forms can be read again, and the other forms are not held back. If you chose the forms, remove one that no longer exists.',
  );
}
