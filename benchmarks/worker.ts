import { type ClientName, type ServiceAddress, type Task, createClient } from './clients.ts';

/** What a task cost, and what came of it. */
export interface Work {
  ms: number;
  /** Submissions or items. */
  items: number;
  /** The most the process's memory grew during the task, unless it was larger before. */
  peakBytes: number;
  /** `created_at` of the first and the last item. */
  ends: string;
}

/** The message from this process after a task, which is the message to it. */
export type Reply = { work: Work } | { error: string };

const [name, service] = JSON.parse(process.argv[2] ?? '') as [ClientName, ServiceAddress];
const client = await createClient(name, service);

async function work(task: Task): Promise<Work> {
  globalThis.gc?.();
  const rssBefore = process.memoryUsage.rss();
  const started = performance.now();
  const output = await client(task);
  const ms = performance.now() - started;
  const peakBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore);
  const rows = output.flatMap(rowsOf);
  const ends = [rows.at(0), rows.at(-1)].map((row) => valueOf(row, 'created_at')).join(' to ');
  return { ms, peakBytes, items: rows.length, ends };
}

/** The submissions of an item that holds a page of them, or the item's own data. */
function rowsOf(output: unknown): unknown[] {
  const json = valueOf(output, 'json') ?? output;
  const submissions = valueOf(json, 'submissions');
  return Array.isArray(submissions) ? submissions : [json];
}

function valueOf(holder: unknown, key: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, key) : undefined;
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
