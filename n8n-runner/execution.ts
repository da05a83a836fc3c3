import { parse } from 'flatted';
import { z } from 'zod';

const problem = z.object({ message: z.string(), description: z.string().nullish() });
const item = z.object({ json: z.record(z.unknown()), pairedItem: z.unknown() });
const nodeRun = z.object({
  error: problem.optional(),
  data: z.record(z.array(z.array(item).nullable())).optional(),
});
const resultData = z.object({
  error: problem.optional(),
  runData: z.record(z.array(nodeRun)),
});
const executionRecord = z.object({
  id: z.string(),
  status: z.string(),
  mode: z.string(),
  workflowId: z.string(),
  data: z.string(),
});

/** An error as n8n shows it. */
export type ExecutionProblem = z.infer<typeof problem>;
/** An item that a node returned. */
export type ExecutionItem = z.infer<typeof item>;

/** An execution with the data of its nodes. */
export interface Execution {
  id: string;
  status: string;
  mode: string;
  workflowId: string;
  error?: ExecutionProblem;
  /** The items that a node returned on its main outputs, in order, over all its runs. */
  itemsOf(nodeName: string): ExecutionItem[];
}

const unfinished = new Set(['new', 'running', 'waiting']);

/** Parses an execution from the REST API, whose data is in flatted form. Returns undefined while it has not ended. */
export function readFinishedExecution(raw: unknown): Execution | undefined {
  const { data, ...record } = executionRecord.parse(raw);
  if (unfinished.has(record.status)) return undefined;
  const state: unknown = parse(data);
  // n8n 1 sets the status of an execution a moment before it has stored the data.
  if (state === undefined) return undefined;
  const { error, runData } = z.object({ resultData }).parse(state).resultData;
  return {
    ...record,
    ...(error && { error }),
    itemsOf: (nodeName) =>
      (runData[nodeName] ?? []).flatMap((run) => (run.data?.['main'] ?? []).flatMap((output) => output ?? [])),
  };
}
