import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Child, type Handlers, startChild } from '../process/rpc.ts';
import type { Counts, ServiceAddress, ServiceHandlers } from '../process/service.ts';

const processFolder = join(import.meta.dirname, '..', 'process');

/** The service in a process of its own, and a place to start measured processes from. */
export interface Bench {
  address: ServiceAddress;
  service: Child<ServiceHandlers>;
  /** A form with so many answered submissions, made when it is first asked for. Gives its id. */
  formOf(rows: number): Promise<string>;
  /** Starts a fresh process that can be told to collect its garbage. */
  startProcess<H extends Handlers>(script: string): Child<H>;
  /** Runs something, and tells what the service saw of it. */
  counting<T>(work: () => Promise<T>): Promise<{ value: T; counts: Counts }>;
  close(): Promise<void>;
}

/** Starts the service. */
export async function openBench(): Promise<Bench> {
  const n8nFolder = createN8nFolder();
  const env = { N8N_USER_FOLDER: n8nFolder, N8N_LOG_LEVEL: 'silent' };
  const service = startChild<ServiceHandlers>(join(processFolder, 'service.ts'));
  const forms = new Map<number, Promise<string>>();
  return {
    address: await service.ask('address'),
    service,
    async formOf(rows) {
      const form = forms.get(rows) ?? service.ask('addForm', { rows });
      forms.set(rows, form);
      return await form;
    },
    startProcess: (script) => startChild(join(processFolder, script), { execArgv: ['--expose-gc'], env }),
    async counting(work) {
      await service.ask('startCounting');
      const value = await work();
      return { value, counts: await service.ask('counts') };
    },
    async close() {
      await service.stop();
      rmSync(n8nFolder, { recursive: true, force: true });
    },
  };
}

/** The engine writes its settings on first use: a folder of its own keeps them from the user's n8n. */
function createN8nFolder(): string {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('N8N_')) Reflect.deleteProperty(process.env, name);
  }
  const folder = mkdtempSync(join(tmpdir(), 'n8n-benchmarks-'));
  mkdirSync(join(folder, '.n8n'));
  writeFileSync(join(folder, '.n8n', 'config'), JSON.stringify({ encryptionKey: 'only-for-benchmarks' }), { mode: 0o600 });
  return folder;
}
