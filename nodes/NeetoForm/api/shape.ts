import type { INode } from 'n8n-workflow';
import { toNodeApiError, type Subject } from './errors';

/** Says what an answer lacks. */
export class UnexpectedResponse extends Error {}

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
