import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { describeFailure, type Subject } from '../messages';
import type { RequestFailure } from './failure';

export type { Subject } from '../messages';

/** Says what an answer lacks. */
export class UnexpectedResponse extends Error {}

/**
 * Throws a failure as n8n shows it. The thrown error holds nothing of the request, so neither does the execution's log.
 *
 * @param attempts how often the request was sent
 * @throws NodeApiError always
 */
export function throwFailure(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): never {
  throw toNodeApiError(node, failure, subject, attempts);
}

/** The error that `throwFailure` throws, for places that keep it. */
export function toNodeApiError(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): NodeApiError {
  const text = describeFailure(failure, subject, isAgentTool(node));
  const message = attempts > 1 ? `${text.message} (after ${attempts} attempts)` : text.message;
  const response: JsonObject = { message, httpCode: text.httpCode ?? '' };
  return new NodeApiError(node, response, { ...text, message });
}

/** Whether the node runs as a tool of an agent: n8n then gives its type a name of its own. */
export function isAgentTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether an error goes away by itself: no response, a rate limit, or trouble at the service. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}

/**
 * Runs code that parses responses, and tells the user when one is not as documented.
 *
 * @throws NodeApiError in place of an UnexpectedResponse; other errors pass
 */
export async function expectShape<T>(node: INode, subject: Subject, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof UnexpectedResponse
      ? toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail: error.message }, subject)
      : error;
  }
}
