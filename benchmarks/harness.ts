import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { packPackage, unpackInto } from '../n8n-runner/communityPackage.ts';
import { cacheFolder } from '../n8n-runner/paths.ts';
import { Child } from './child.ts';
import type { ClientName, Task } from './clients.ts';
import type { ServiceAddress, ServiceHandlers } from './service.ts';
import { type Spread, mean, ratioOf, spreadOf } from './statistics.ts';
import type { Work, WorkerHandlers } from './worker.ts';

/** The service, in a process of its own. */
export interface Service {
  address: ServiceAddress;
  process: Child<ServiceHandlers>;
}

/** A client, in a process of its own. */
export type Worker = Child<WorkerHandlers>;

/** What one turn cost: the client's own figures and what the service saw. */
export type Sample = Work & { requests: number };

/** One of the things that are measured in turns. */
export interface Case {
  subject: string;
  /** How much of it: submissions or forms, as the measurement says. */
  size: number;
  /** How often a turn repeats the work; default: once. */
  times?: number;
  turn(round: number): Promise<Sample>;
}

/** What a case cost, over all rounds. */
export interface Result {
  measurement: string;
  subject: string;
  size: number;
  /** How long the service takes for each response. */
  latencyMs: number;
  rounds: number;
  /** The time to that of the measurement's first case, round by round; where sizes are compared, the time per unit of size. */
  time: Spread;
  /** The same for processor time. */
  cpu: Spread;
  /** Depends on the machine. */
  seconds: Spread;
  /** Per turn, on average. */
  requests: number;
  /** How much the process grew in the first round, at its highest. */
  peakBytes: number;
}

/** The service, this package as it would be published, and processes to measure. */
export class Harness {
  /** The service of every worker that is not given another one. */
  readonly service: Service;
  /** The size of the package as it would be published. */
  readonly packageBytes: number;
  private readonly env: NodeJS.ProcessEnv;
  private readonly nodesFolder: string;
  private readonly processes: Array<{ stop(): Promise<void> }> = [];
  private readonly forms = new Map<number, string>();

  private constructor(service: Service, packageBytes: number, userFolder: string) {
    this.service = service;
    this.packageBytes = packageBytes;
    this.env = environment(userFolder);
    this.nodesFolder = join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-neetoform/dist/nodes/NeetoForm');
  }

  /** Packs this package, which must have been built, and starts the service. */
  static async open(): Promise<Harness> {
    const userFolder = createUserFolder();
    process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));
    const { tarball, remove } = await packPackage();
    await unpackInto(userFolder, tarball);
    const { size } = statSync(tarball);
    await remove();
    return new Harness(await startService(environment(userFolder)), size, userFolder);
  }

  /** @returns the ID of a form with so many answered submissions, created when it is first needed */
  async formOf(submissions: number): Promise<string> {
    const form = this.forms.get(submissions) ?? (await this.service.process.call('addForm', { submissions }));
    this.forms.set(submissions, form);
    return form;
  }

  /** Starts another service, until the end of the part. */
  async startService(): Promise<Service> {
    const service = await startService(this.env);
    this.processes.push(service.process);
    return service;
  }

  /** Starts a client in a process of its own, until the end of the part. */
  async startWorker(client: ClientName, { address } = this.service): Promise<Worker> {
    const worker = this.newWorker();
    await worker.call('prepare', { client, service: address });
    return worker;
  }

  /** Does a task so many times in a row, and counts what the service sees of it. */
  async turn(worker: Worker, task: Task, times = 1, service = this.service): Promise<Sample> {
    await service.process.call('startCounting');
    const work = await worker.call('work', { task, times });
    return { ...work, requests: await service.process.call('requests') };
  }

  /** Loads both nodes in a fresh process. */
  async loadNodes(): Promise<Sample> {
    const files = ['NeetoForm.node.js', 'NeetoFormTrigger.node.js'].map((name) => join(this.nodesFolder, name));
    const work = await this.newWorker().call('load', { files });
    return { ...work, requests: 0 };
  }

  /** Ends every process but the service. */
  async endPart(): Promise<void> {
    await Promise.all(this.processes.splice(0).map(async (each) => await each.stop()));
  }

  /** Ends every process. */
  async close(): Promise<void> {
    await this.endPart();
    await this.service.process.stop();
  }

  private newWorker(): Worker {
    const worker: Worker = new Child('worker.ts', this.env);
    this.processes.push(worker);
    return worker;
  }
}

async function startService(env: NodeJS.ProcessEnv): Promise<Service> {
  const child = new Child<ServiceHandlers>('service.ts', env);
  return { process: child, address: await child.call('start') };
}

function environment(userFolder: string): NodeJS.ProcessEnv {
  return { N8N_USER_FOLDER: userFolder, N8N_LOG_LEVEL: 'silent' };
}

/** What all cases of a measurement have in common. */
export interface Measurement {
  measurement: string;
  latencyMs: number;
  rounds: number;
  /** Whether times are compared per unit of size. */
  isPerUnit?: boolean;
}

/**
 * Each case has its turn in every round, another case first in each: whatever else the machine does meets all of them. The service has
 * the latency during the turns only.
 */
export async function measureInTurns(
  { service }: Harness,
  { measurement, latencyMs, rounds, isPerUnit = false }: Measurement,
  cases: Case[],
): Promise<Result[]> {
  const measured = cases.map((each) => ({ ...each, samples: new Array<Sample>() }));
  await service.process.call('setLatency', { ms: latencyMs });
  try {
    for (let round = 0; round < rounds; round += 1) {
      const first = round % measured.length;
      for (const each of [...measured.slice(first), ...measured.slice(0, first)])
        each.samples.push(await each.turn(round));
    }
  } finally {
    await service.process.call('setLatency', { ms: 0 });
  }
  const figures = (key: Exclude<keyof Sample, 'ends'>, { samples, times = 1 }: (typeof measured)[number]): number[] =>
    samples.map((sample) => sample[key] / times);
  const ratioToFirst = (key: 'ms' | 'cpuMs', each: (typeof measured)[number]): Spread => {
    const [of, base] = [each, measured[0] ?? each].map((one) =>
      figures(key, one).map((value) => (isPerUnit ? value / one.size : value)),
    );
    return ratioOf(of ?? [], base ?? []);
  };
  return measured.map((each) => ({
    measurement,
    subject: each.subject,
    size: each.size,
    latencyMs,
    rounds,
    time: ratioToFirst('ms', each),
    cpu: ratioToFirst('cpuMs', each),
    seconds: spreadOf(figures('ms', each).map((ms) => ms / 1_000)),
    requests: mean(figures('requests', each)),
    peakBytes: each.samples[0]?.peakBytes ?? NaN,
  }));
}

/** The engine writes its settings on first use: a folder of its own keeps them from the user's n8n. */
function createUserFolder(): string {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('N8N_')) Reflect.deleteProperty(process.env, name);
  }
  mkdirSync(cacheFolder, { recursive: true });
  // Inside the repository, where the package finds n8n-workflow.
  const folder = mkdtempSync(join(cacheFolder, 'benchmarks-'));
  mkdirSync(join(folder, '.n8n'));
  writeFileSync(join(folder, '.n8n', 'config'), '{"encryptionKey":"only-for-benchmarks"}', { mode: 0o600 });
  return folder;
}
