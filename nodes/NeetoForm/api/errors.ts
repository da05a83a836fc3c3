import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/**
 * Says in its message how a response differs from what is documented. It is thrown where the response is parsed; `request` catches it and
 * throws a NodeApiError with the same words.
 */
export class UnexpectedResponse extends Error {}

/**
 * Gives an error the message that it was made with. n8n replaces a message that contains one of its error codes, even inside a word: for the
 * form `Preexisting conditions`, which contains EEXIST, it would say "The file or directory already exists".
 *
 * @returns the same error
 */
export function keepMessage<E extends NodeApiError | NodeOperationError>(error: E, message: string): E {
  error.message = message;
  return error;
}

/**
 * Makes an error of a node that has its own message.
 *
 * @param error the message, or an error with a message and perhaps a description
 * @param description what to change. Default: that of the error
 */
export function operationError(node: INode, error: string | Error, description?: string): NodeOperationError {
  const message = error instanceof Error ? error.message : error;
  return keepMessage(new NodeOperationError(node, error, { description }), message);
}

/** Whether an error says that the service answered with one of these statuses. @param statuses such as '404' */
export function hasStatus(error: unknown, ...statuses: string[]): error is NodeApiError {
  return error instanceof NodeApiError && error.httpCode !== null && statuses.includes(error.httpCode);
}

/** Whether the node runs as a tool of an AI agent. n8n then adds 'Tool' to the name of its type. */
export function isAgentTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether an error may go away by itself. n8n's scheduler reads that from `error.failure.cause`, which `describeFailure` sets. */
export function isTransient(error: unknown): boolean {
  return error instanceof NodeApiError && isTransientCause(error.failure?.cause);
}

/**
 * Whether n8n's scheduler may expect that a cause goes away by itself. An untrusted certificate has such a cause as well, although waiting
 * rarely helps: see `explain` in `messages.ts`.
 */
export function isTransientCause(cause: string | undefined): boolean {
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}

/**
 * Waits for something that the owner of the API key may not be allowed to see.
 *
 * @returns what was read; undefined when the service refused it with 403 or 404 and in its own words. Without words, the response may come from
 * a server in between
 * @throws every other error of the reading
 */
export async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
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

/** A duration in words, rounded up: 600,000 ms are `10 minutes`. It is in seconds up to 90 seconds, in minutes up to 90 minutes, and so on. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms <= 90 * each) ?? UNITS[3];
  const count = Math.ceil(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Joins sentences with blanks, and leaves out those that are ''. */
export function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
