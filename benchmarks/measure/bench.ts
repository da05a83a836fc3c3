import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { packPackage, unpackInto } from '../../n8n-runner/communityPackage.ts';
import { cacheFolder } from '../../n8n-runner/paths.ts';
import { type Child, type Handlers, startChild } from '../process/rpc.ts';
import type { Counts, ServiceAddress, ServiceHandlers } from '../process/service.ts';

const processFolder = join(import.meta.dirname, '..', 'process');

/** The service in a process of its own, and a place to start measured processes from. */
export interface Bench {
  address: ServiceAddress;
  service: Child<ServiceHandlers>;
  tarballBytes: number;
  /** What measured processes need to know: where n8n's settings and the unpacked package are. */
  env: Record<string, string>;
  /** A form with so many answered submissions, made when it is first asked for. Gives its id. */
  formOf(rows: number): Promise<string>;
  /** Starts a fresh process that can be told to collect its garbage. */
  startProcess<H extends Handlers>(script: string): Child<H>;
  /** Ends the processes that were started, in whatever state they are. */
  stopProcesses(): Promise<void>;
  /** Runs something, and tells what the service saw of it. */
  counting<T>(work: () => Promise<T>): Promise<{ value: T; counts: Counts }>;
  close(): Promise<void>;
}

/** Packs the package, which must have been built, and starts the service. */
export async function openBench(): Promise<Bench> {
  const n8nFolder = createN8nFolder();
  const tarballBytes = await unpackPackage(n8nFolder);
  const env = { N8N_USER_FOLDER: n8nFolder, N8N_LOG_LEVEL: 'silent' };
  const removeFolder = (): void => rmSync(n8nFolder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const service = startChild<ServiceHandlers>(join(processFolder, 'service.ts'));
  const started = new Set<Child<Handlers>>();
  const stopProcesses = async (): Promise<void> => {
    await Promise.all([...started].map(async (child) => await child.stop()));
    started.clear();
  };
  const forms = new Map<number, Promise<string>>();
  return {
    address: await service.ask('address'),
    service,
    tarballBytes,
    env,
    async formOf(rows) {
      const form = forms.get(rows) ?? service.ask('addForm', { rows });
      forms.set(rows, form);
      return await form;
    },
    startProcess<H extends Handlers>(script: string): Child<H> {
      const child = startChild<H>(join(processFolder, script), { execArgv: ['--expose-gc'], env });
      started.add(child);
      return child;
    },
    stopProcesses,
    async counting(work) {
      await service.ask('startCounting');
      const value = await work();
      return { value, counts: await service.ask('counts') };
    },
    async close() {
      await stopProcesses();
      await service.stop();
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
}

/** What is measured is what would be published, even if somebody builds meanwhile. Gives the size of the tarball. */
async function unpackPackage(n8nFolder: string): Promise<number> {
  const { tarball, remove } = await packPackage();
  try {
    await unpackInto(n8nFolder, tarball);
    return statSync(tarball).size;
  } finally {
    await remove();
  }
}

/** The engine writes its settings on first use: a folder of its own keeps them from the user's n8n. */
function createN8nFolder(): string {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('N8N_')) Reflect.deleteProperty(process.env, name);
  }
  mkdirSync(cacheFolder, { recursive: true });
  // Inside the repository, so that the package finds the n8n-workflow that is installed there.
  const folder = mkdtempSync(join(cacheFolder, 'benchmarks-'));
  mkdirSync(join(folder, '.n8n'));
  writeFileSync(join(folder, '.n8n', 'config'), JSON.stringify({ encryptionKey: 'only-for-benchmarks' }), {
    mode: 0o600,
  });
  return folder;
}
