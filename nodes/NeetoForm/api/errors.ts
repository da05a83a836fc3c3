import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

/** Says what a response lacks. Thrown where it is parsed; `request` makes a NodeApiError of it. */
export class UnexpectedResponse extends Error {}

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

/** A page that may be behind the end of its list; undefined when the service refuses such a page instead of showing that it is empty. */
export async function unlessBehindEnd<T>(reading: Promise<T>): Promise<T | undefined> {
  return await reading.catch((error: unknown) => {
    if (hasStatus(error, '400', '404', '422')) return undefined;
    throw error;
  });
}
