import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { type Emulator, type Json, type WorkspaceSeed, sampleWorkspace, startEmulator } from '../emulator/index.ts';
import type { ClientName, Task } from './clients.ts';
import type { Reply, Work } from './worker.ts';

/** What one turn cost: the client's own figures and what the service saw. */
export type Sample = Work & { requests: number };

/** ms between two submissions of a form. */
const INTERVAL_MS = 60_000;

/** When the first submission of a form was made. */
const FIRST = Date.parse('2020-01-01T00:00:00Z');

/** The longest task takes about 30 s on an idle machine. */
const TIMEOUT_MS = 240_000;

/** A client, in a process of its own that ends with this one. */
export class Worker {
  private readonly service: Emulator;
  private readonly process: ChildProcess;
  private readonly ended: Promise<never>;

  constructor(client: ClientName, service: Emulator) {
    this.service = service;
    const { url, apiKey } = service;
    this.process = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify([client, { url, apiKey }])], {
      execArgv: [...process.execArgv, '--expose-gc', '--import', join(import.meta.dirname, 'resolve.ts')],
      env: { ...process.env, N8N_LOG_LEVEL: 'silent' },
    });
    this.ended = once(this.process, 'exit').then(() => {
      throw new Error(`The process of ${client} has ended`);
    });
    this.ended.catch(() => undefined);
  }

  /** Does a task, and counts what the service sees of it. */
  async work(task: Task): Promise<Sample> {
    this.service.requests.length = 0;
    this.process.send(task);
    const replied = once(this.process, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    const [reply] = (await Promise.race([replied, this.ended])) as [Reply];
    if ('error' in reply) throw new Error(reply.error);
    return { ...reply.work, requests: this.service.requests.length };
  }

  stop(): void {
    this.process.kill('SIGKILL');
  }
}

/** The service, in this process, and the clients of one part of a run. */
export class Harness {
  /** The service of every client that is not given another one. */
  readonly service: Emulator;
  private readonly questions: ExampleForm['questions'];
  /** Answers as the service sends them, shared by all submissions: 100,000 of them should fit into memory. */
  private readonly answers: Json[][];
  private readonly stops: Array<() => unknown> = [];
  private readonly forms = new Map<number, string>();

  private constructor(service: Emulator, { questions }: ExampleForm, answers: Json[][]) {
    this.service = service;
    this.questions = questions;
    this.answers = answers;
  }

  static async open(): Promise<Harness> {
    const [form] = sampleWorkspace().forms ?? [];
    if (form === undefined) throw new Error('The emulator has no example of a form');
    const service = await startEmulator({ seed: { forms: [form] }, recordBodies: false });
    const { body } = await service.inject({
      url: `/api/external/v2/forms/${service.workspace.forms[0]?.id}/submissions`,
      headers: { 'x-api-key': service.apiKey, accept: 'application/json' },
    });
    const { submissions } = JSON.parse(body) as { submissions: Array<{ responses: Json[] }> };
    return new Harness(
      service,
      form,
      submissions.map(({ responses }) => responses),
    );
  }

  /** @returns the ID of a form with so many answered submissions, a minute apart, created when it is first needed */
  formOf(submissions: number): string {
    const known = this.forms.get(submissions);
    if (known !== undefined) return known;
    const { workspace } = this.service;
    const { id } = workspace.addForm({ title: `Form of ${submissions}`, questions: this.questions });
    for (let index = 0; index < submissions; index += 1) {
      const responses = this.answers[index % this.answers.length];
      workspace.addSubmission(id, { createdAt: timeOf(index), responses });
    }
    this.forms.set(submissions, id);
    return id;
  }

  /** Starts another service, until the end of the part, with so many forms of ten submissions each. */
  async startService(forms: number): Promise<Emulator> {
    const service = await startEmulator({ recordBodies: false });
    this.stops.push(async () => await service.close());
    for (let number = 1; number <= forms; number += 1) {
      const { id } = service.workspace.addForm({ title: `Form ${number}`, questions: this.questions });
      service.workspace.addHistory(id, { count: 10, from: FIRST, everyMs: INTERVAL_MS });
    }
    return service;
  }

  /** Starts a client, until the end of the part. */
  startWorker(client: ClientName, service = this.service): Worker {
    const worker = new Worker(client, service);
    this.stops.push(() => worker.stop());
    return worker;
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

type ExampleForm = NonNullable<WorkspaceSeed['forms']>[number];

/**
 * When a submission was made.
 *
 * @param place in its form, from 0
 * @returns as the service writes it
 */
export function timeOf(place: number): string {
  return new Date(FIRST + place * INTERVAL_MS).toISOString();
}
