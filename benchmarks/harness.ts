import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Emulator, type FormSeed, sampleWorkspace, startEmulator } from '../emulator/index.ts';
import type { ClientName, Task } from './clients.ts';
import type { Reply, Work } from './worker.ts';

/** What one turn cost: the client's own figures and what the service saw. */
export type Sample = Work & { requests: number };

/** ms between two submissions of a form. */
const INTERVAL_MS = 60_000;

/** When the first submission of a form was made. */
const FIRST = Date.parse('2020-01-01T00:00:00Z');

/** A form with answers of people. */
const [exampleForm = { title: 'Form' }]: FormSeed[] = sampleWorkspace().forms ?? [];

/** The longest task takes about 30 s on an idle machine. */
const TIMEOUT_MS = 240_000;

/** The service, in this process, and the clients of one part of a run. */
export class Harness {
  /** The service of every client that is not given another one. */
  readonly service: Emulator;
  private readonly stops: Array<() => unknown> = [];
  private readonly forms = new Map<number, string>();

  constructor(service: Emulator) {
    this.service = service;
  }

  /** @returns the ID of a form with so many answered submissions, a minute apart, created when it is first needed */
  formOf(submissions: number): string {
    const known = this.forms.get(submissions);
    if (known !== undefined) return known;
    const { workspace } = this.service;
    const { questions, submissions: examples = [] } = exampleForm;
    const { id } = workspace.addForm({ title: `Form of ${submissions}`, questions });
    for (let index = 0; index < submissions; index += 1) {
      // Shared answers: 100,000 submissions should fit into memory.
      const { answers } = examples[index % examples.length] ?? {};
      workspace.addSubmission(id, { createdAt: timeOf(index), answers });
    }
    this.forms.set(submissions, id);
    return id;
  }

  /** Starts another service, until the end of the part, with so many forms of ten submissions each. */
  async startService(forms: number): Promise<Emulator> {
    const service = await startEmulator({ recordBodies: false });
    this.stops.push(async () => await service.close());
    for (let number = 1; number <= forms; number += 1) {
      const { id } = service.workspace.addForm({ title: `Form ${number}`, questions: exampleForm.questions });
      service.workspace.log(id).addHistory({ count: 10, from: FIRST, everyMs: INTERVAL_MS });
    }
    return service;
  }

  /**
   * Starts a client in a process of its own, until the end of the part.
   *
   * @returns does a task, and counts what the service sees of it
   */
  startClient(client: ClientName, service = this.service): (task: Task) => Promise<Sample> {
    const { url, apiKey, requests } = service;
    const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify([client, { url, apiKey }])], {
      execArgv: [...process.execArgv, '--expose-gc', '--import', join(import.meta.dirname, 'resolve.ts')],
      env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
    });
    this.stops.push(() => child.kill('SIGKILL'));
    const ended = once(child, 'exit').then((): [Reply] => [{ error: `The process of ${client} has ended` }]);
    return async (task) => {
      requests.length = 0;
      child.send(task);
      const replied = once(child, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) }) as Promise<[Reply]>;
      const [reply] = await Promise.race([replied, ended]);
      if ('error' in reply) throw new Error(reply.error);
      return { ...reply.work, requests: requests.length };
    };
  }

  /** Ends everything but the service. */
  async endPart(): Promise<void> {
    await Promise.all(this.stops.splice(0).map((stop) => stop()));
  }

  async close(): Promise<void> {
    await this.endPart();
    await this.service.close();
  }
}

/**
 * When a submission was made.
 *
 * @param place in its form, from 0
 * @returns as the service writes it
 */
export function timeOf(place: number): string {
  return new Date(FIRST + place * INTERVAL_MS).toISOString();
}
