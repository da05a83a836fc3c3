import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Emulator, sampleWorkspace, startEmulator } from '../emulator/index.ts';
import type { Setup, Task } from './clients.ts';
import type { Reply, Work } from './worker.ts';

/** What one turn cost: the client's own figures, and what the service saw. */
export interface Sample extends Work {
  requests: number;
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

  async startService(): Promise<Emulator> {
    const service = await startEmulator();
    this.stops.push(async () => await service.close());
    return service;
  }

  /** Starts a client. It does a task that must return so many submissions. */
  startClient(service: Emulator, client: Setup['client']) {
    const { url, apiKey, requests } = service;
    const setup: Setup = { url, apiKey, modules: this.modules, client };
    const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(setup)], {
      execArgv: [...process.execArgv, '--expose-gc'],
    });
    this.stops.push(() => child.kill('SIGKILL'));
    return async (task: Task, expectedItems: number): Promise<Sample> => {
      requests.length = 0;
      child.send(task);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const [reply] = (await once(child, 'message', { signal })) as [Reply];
      if ('error' in reply) throw new Error(reply.error);
      const { items } = reply.work;
      if (items !== expectedItems) throw new Error(`${client}: ${items} submissions instead of ${expectedItems}`);
      return { ...reply.work, requests: requests.length };
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.stops.splice(0).map((stop) => stop()));
  }
}

/**
 * Each has its turn in every round, in turn from the first and from the last: what else the machine does meets all of them.
 *
 * @returns the samples of each, in its order
 */
export async function takeTurns(rounds: number, turns: Array<() => Promise<Sample>>): Promise<Sample[][]> {
  const samples = turns.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...turns.entries()];
    for (const [index, turn] of round % 2 === 0 ? order : order.reverse()) samples[index]?.push(await turn());
  }
  return samples;
}

/** A form with answers of people. */
const [exampleForm] = sampleWorkspace().forms ?? [];

/** Adds a form with so many submissions, the last one an hour ago. @returns its ID, and the time of each submission, oldest first */
export function addForm({ workspace, clock }: Emulator, count: number, everyMs = 60_000) {
  const { questions, submissions: examples = [] } = exampleForm ?? {};
  const { id } = workspace.addForm({ title: `Form of ${count}`, questions });
  const last = clock.now() - 3_600_000;
  const times = Array.from({ length: count }, (_, index) => last - (count - index) * everyMs);
  for (const [index, createdAt] of times.entries()) {
    // Shared answers: 100,000 submissions should fit into memory.
    workspace.addSubmission(id, { createdAt, answers: examples[index % examples.length]?.answers });
  }
  return { id, times };
}
