/** The errors that n8n shows for a node: how they are made, and what they say. */

import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** An error that names the node. n8n shows it as it is, except that the engine of declarative nodes takes only a NodeApiError. */
export type NodeError = NodeApiError | NodeOperationError;

/** Gives an error its message back. n8n replaces a message in which it finds an error code, even inside a word: EEXIST in `Preexisting`. */
export function keepMessage<E extends NodeError>(error: E, message: string): E {
  error.message = message;
  return error;
}

/** Makes an error of a node from a message or another error. Without a `description`, n8n takes that of the other error. */
export function operationError(node: INode, error: string | Error, description?: string): NodeOperationError {
  const message = error instanceof Error ? error.message : error;
  return keepMessage(new NodeOperationError(node, error, { description }), message);
}

/** Whether an error says that the service answered with one of these statuses, such as '404'. */
export function hasStatus(error: unknown, ...statuses: string[]): error is NodeApiError {
  return error instanceof NodeApiError && error.httpCode !== null && statuses.includes(error.httpCode);
}

/** Whether the node runs as a tool of an AI agent. n8n then adds 'Tool' to the name of its type. */
export function isAgentTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether an error may go away by itself. */
export function isTransient(error: unknown): boolean {
  return error instanceof NodeApiError && isTransientCause(causeOf(error));
}

/** The `Cause` that `toNodeApiError` (in `messages.ts`) noted. n8n 2.37 and later also keeps it in the error's own `failure`. */
export function causeOf(error: NodeApiError): unknown {
  return error.context.cause;
}

export function isTransientCause(cause: unknown): boolean {
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}
