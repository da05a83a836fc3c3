import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** An error that n8n shows as it is. */
export type NodeError = NodeApiError | NodeOperationError;

/** What to do about a response that is not as documented. */
export const REPORT = 'The service may have changed. Update this package, or report what you requested.';

/** Says how a response differs from what is documented. `request` catches it and throws a NodeApiError with the same words. */
export class UnexpectedResponse extends Error {}

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

/** The `Cause` that `toNodeApiError` (in `messages.ts`) noted. It is also in `failure`, but before n8n 2.37 no error has that. */
export function causeOf(error: NodeApiError): unknown {
  return error.context.cause;
}

export function isTransientCause(cause: unknown): boolean {
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}

/** Waits for a read that the service may refuse to this API key. @returns undefined after the service's 403 or 404 @throws all other errors */
export async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    // A 403 or 404 without words in its body may come from a server in between.
    if (hasStatus(error, '403', '404') && error.context.hasServiceWords === true) return undefined;
    throw error;
  });
}

const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const;

/** A duration in words, rounded up: 90,000 ms are `90 seconds`, 91,000 ms are `2 minutes`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms <= 90 * each) ?? UNITS[3];
  const count = Math.ceil(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Joins sentences with blanks, and leaves out empty ones. */
export function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
