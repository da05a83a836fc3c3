import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { RequestRecord } from '../../emulator/index.ts';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** ms after which a late finisher of a form with one page is found. */
export const LOOK = 10 * MINUTE;

/** When every test begins. */
export const START = Date.UTC(2026, 2, 1, 12, 0, 0);

export interface PollOutcome {
  /** IDs emitted; null when the poll returned nothing. */
  ids: string[] | null;
  /** The items of the first output. */
  items: INodeExecutionData[];
  /** The JSON of all items, by output: on the second one are failures if the node has an error output. Null when the poll returned nothing. */
  outputs: IDataObject[][] | null;
  error: Error | undefined;
  requests: RequestRecord[];
  /** ms of virtual time. */
  elapsedMs: number;
  staticDataBefore: IDataObject;
  staticData: IDataObject;
}

/** What differs from "each of these once, and nothing else". */
export function compare(delivered: string[], expected: string[]) {
  const [given, wanted] = [new Set(delivered), new Set(expected)];
  return {
    lost: expected.filter((id) => !given.has(id)).length,
    repeated: delivered.length - given.size,
    unexpected: [...given].filter((id) => !wanted.has(id)).length,
  };
}

export const EACH_ONCE = { lost: 0, repeated: 0, unexpected: 0 };

/** The ID of an item. @throws when it has none */
export function idOf({ submission_id, id = submission_id }: IDataObject): string {
  return toText(id);
}

export function idsOf(outcomes: PollOutcome[]): string[] {
  return outcomes.flatMap(({ ids }) => ids ?? []);
}

/** Static data without the empty objects that n8n makes for each reader. */
export function substance(staticData: IDataObject): Array<[key: string, value: unknown]> {
  return Object.entries(staticData).filter(([, value]) => JSON.stringify(value) !== '{}');
}

/** Expects that a poll failed with this message, and stored nothing. */
export function expectFailure({ error, staticData, staticDataBefore }: PollOutcome, message: string | RegExp): void {
  expect(error?.message).toMatch(message);
  expect(staticData).toEqual(staticDataBefore);
}

/** The cause of a failed poll, as n8n's scheduler gets it. */
export function causeOf(error: Error | undefined): string | undefined {
  return error instanceof NodeApiError ? error.failure?.cause : undefined;
}

/** @throws when it is neither text nor a number */
export function toText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  throw new Error(`Neither text nor number: ${JSON.stringify(value)}`);
}
