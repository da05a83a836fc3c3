import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { RequestFailure } from './failure';
import { describeFailure, type Subject } from './messages';

/** Says what a response lacks. Thrown where it is parsed; `request` makes a NodeApiError of it. */
export class UnexpectedResponse extends Error {}

/** A failure as n8n shows and logs it, without the request. @param attempts how often it was sent */
export function toNodeApiError(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): NodeApiError {
  const text = describeFailure(failure, subject, isAgentTool(node));
  const message = attempts > 1 ? `${text.message} (after ${attempts} attempts)` : text.message;
  const response: JsonObject = { message, httpCode: text.httpCode ?? '' };
  return new NodeApiError(node, response, { ...text, message });
}

/** Whether the service answered with one of these statuses. */
export function hasStatus(error: unknown, ...statuses: string[]): boolean {
  return error instanceof NodeApiError && error.httpCode !== null && statuses.includes(error.httpCode);
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

/** What a request brings; undefined when the service does not show it to the owner of the API key. @throws other errors */
export async function unlessHidden<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (hasStatus(error, '403', '404')) return undefined;
    throw error;
  });
}
