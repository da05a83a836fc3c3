import { type Setup, type Task, createClient } from './clients.ts';

/** What a task cost, and what came of it. */
export interface Work {
  ms: number;
  /** Submissions or items. */
  items: number;
  /** The most that the process's memory grew during the task, unless it was larger before. */
  peakBytes: number;
}

/** The message from this process after a task, which is the message to it. */
export type Reply = { work: Work } | { error: string };

const client = await createClient(JSON.parse(process.argv[2] ?? '') as Setup);

async function work(task: Task): Promise<Work> {
  globalThis.gc?.();
  const rssBefore = process.memoryUsage.rss();
  const started = performance.now();
  const output = await client(task);
  const ms = performance.now() - started;
  const peakBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore);
  return { ms, peakBytes, items: output.reduce<number>((sum, item) => sum + rowsIn(item), 0) };
}

/** The number of submissions in an item that holds a page of them; one for any other item. */
function rowsIn(item: unknown): number {
  const { submissions } = (item as { json?: { submissions?: unknown } }).json ?? {};
  return Array.isArray(submissions) ? submissions.length : 1;
}

process.on('message', (task: Task) => {
  void work(task)
    .then(
      (done): Reply => ({ work: done }),
      (error: unknown): Reply => ({ error: String(error) }),
    )
    .then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit());
