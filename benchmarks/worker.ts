import { createRequire } from 'node:module';

import { answerCalls } from './child.ts';
import { type Client, type ClientName, type Task, createClient } from './clients.ts';
import type { ServiceAddress } from './service.ts';

/** What a task cost, and what came of it. */
export interface Work {
  ms: number;
  /** Processor time of the whole process, garbage collection and the expression engine included. */
  cpuMs: number;
  /** Submissions or items. */
  items: number;
  /** The most the process's memory grew since it was prepared. */
  peakBytes: number;
  /** `created_at` of the first and the last item. */
  ends: string;
}

let client: Client | undefined;
let rssBefore = 0;
let skippedMs = 0;
const realNow = Date.now;

const handlers = {
  async prepare({ client: name, service }: { client: ClientName; service: ServiceAddress }): Promise<void> {
    client = await createClient(name, service);
    rssBefore = process.memoryUsage.rss();
  },

  /** Does a task so often that the code is compiled; what follows is compared with the memory used now. */
  async warmUp({ task, times }: { task: Task; times: number }): Promise<void> {
    for (let time = 0; time < times; time += 1) await prepared()(task);
    globalThis.gc?.();
    rssBefore = process.memoryUsage.rss();
  },

  /** Does a task so many times in a row. */
  async work({ task, times }: { task: Task; times: number }): Promise<Work> {
    const outputs: unknown[][] = [];
    const cost = await costOf(async () => {
      for (let time = 0; time < times; time += 1) outputs.push(await prepared()(task));
    });
    const rows = outputs.flat().flatMap(rowsOf);
    return {
      ...cost,
      items: rows.length,
      ends: [rows.at(0), rows.at(-1)].map((row) => valueOf(row, 'created_at')).join(' to '),
    };
  },

  /** Puts the clock of this process forward. */
  async skip({ ms }: { ms: number }): Promise<void> {
    skippedMs += ms;
    Date.now = () => realNow() + skippedMs;
  },

  /** Loads files when n8n-workflow is loaded already; only for a fresh process. */
  async load({ files }: { files: string[] }): Promise<Work> {
    const load = createRequire(files[0] ?? import.meta.url);
    load('n8n-workflow');
    const cost = await costOf(async () => files.forEach((file) => void load(file)));
    return { ...cost, items: files.length, ends: '' };
  },
};

export type WorkerHandlers = typeof handlers;

answerCalls(handlers);

async function costOf(work: () => Promise<void>): Promise<Pick<Work, 'ms' | 'cpuMs' | 'peakBytes'>> {
  globalThis.gc?.();
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await work();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  const peakBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore);
  return { ms, cpuMs: (user + system) / 1_000, peakBytes };
}

function prepared(): Client {
  if (client === undefined) throw new Error('No client was prepared');
  return client;
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
