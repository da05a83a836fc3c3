import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Emulator, type FormSeed, sampleWorkspace, startEmulator } from '../emulator/index.ts';
import type { Setup, Task } from './clients.ts';
import type { Reply, Work } from './worker.ts';

/** What one turn cost: the client's own figures, and what the service saw. */
export interface Sample extends Work {
  requests: number;
  /** Submissions in the responses, where the service records them. */
  rows: number;
}

/** The longest task takes about 30 s on an idle machine. */
const TIMEOUT_MS = 240_000;

/** Services in this process, and clients in processes of their own, until `end`. */
export class Harness {
  private readonly modules: string;
  private readonly stops: Array<() => unknown> = [];

  /** @param modules the folder with the packages of n8n */
  constructor(modules: string) {
    this.modules = modules;
  }

  /** @param recordBodies whether the rows in responses are counted, which takes time */
  async startService(recordBodies: boolean): Promise<Emulator> {
    const service = await startEmulator({ recordBodies });
    this.stops.push(async () => await service.close());
    return service;
  }

  /** Starts a client. It does a task, and counts what the service sees of it. */
  startClient(
    { url, apiKey, requests }: Emulator,
    client: Pick<Setup, 'client' | 'parameters'>,
  ): (task: Task) => Promise<Sample> {
    const setup: Setup = { url, apiKey, modules: this.modules, ...client };
    const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(setup)], {
      execArgv: [...process.execArgv, '--expose-gc', '--import', join(import.meta.dirname, 'resolve.ts')],
      env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
    });
    this.stops.push(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit').then((): [Reply] => [{ error: `The process of ${client.client} has ended` }]);
    return async (task) => {
      requests.length = 0;
      child.send(task);
      const replied = once(child, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) }) as Promise<[Reply]>;
      const [reply] = await Promise.race([replied, ended]);
      if ('error' in reply) throw new Error(reply.error);
      const rows = requests.reduce((sum, { responseBody }) => sum + rowsIn(responseBody), 0);
      return { ...reply.work, requests: requests.length, rows };
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.stops.splice(0).map((stop) => stop()));
  }
}

function rowsIn(responseBody = '{}'): number {
  const { submissions = [] } = JSON.parse(responseBody) as { submissions?: unknown[] };
  return submissions.length;
}

/**
 * Each has its turn in every round, another one first in each: whatever else the machine does meets all of them.
 *
 * @returns the samples of each, in its order
 */
export async function takeTurns(rounds: number, turns: Array<() => Promise<Sample>>): Promise<Sample[][]> {
  const samples = turns.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const offset of turns.keys()) {
      const index = (round + offset) % turns.length;
      const sample = await turns[index]?.();
      if (sample !== undefined) samples[index]?.push(sample);
    }
  }
  return samples;
}

/** A form with answers of people. */
const [exampleForm = { title: 'Form' }]: FormSeed[] = sampleWorkspace().forms ?? [];

/** Adds a form with so many submissions, a minute apart unless said otherwise, the last one an hour ago. @returns its ID */
export function addForm({ workspace, clock }: Emulator, count: number, everyMs = 60_000): string {
  const { questions, submissions: examples = [] } = exampleForm;
  const { id } = workspace.addForm({ title: `Form of ${count}`, questions });
  for (let age = count; age > 0; age -= 1) {
    // Shared answers: 100,000 submissions should fit into memory.
    const { answers } = examples[age % examples.length] ?? {};
    workspace.addSubmission(id, { createdAt: clock.now() - 3_600_000 - age * everyMs, answers });
  }
  return id;
}

/** A figure counts only when the whole work was done. */
export function complete(sample: Sample, items: number): Sample {
  if (sample.items !== items) throw new Error(`${sample.items} submissions instead of ${items}`);
  return sample;
}
