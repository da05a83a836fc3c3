import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Emulator, startEmulator } from '../../../emulator/index.ts';
import { type Credential, N8nClient } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';
import { N8nDatabase } from './database.ts';
import { type Mode, environmentOf } from './modes.ts';

/** An n8n instance with the packed package, an emulated workspace without forms, and a look into n8n's database. */
export interface EnduranceN8n {
  n8n: RunningN8n;
  client: N8nClient;
  emulator: Emulator;
  credential: Credential;
  database: N8nDatabase;
  stop(): Promise<void>;
}

/** Installing n8n on first use takes minutes. */
export const startTimeoutMs = 900_000;

/** @param env added to the settings of the mode */
export async function startEnduranceN8n(mode: Mode, env: Record<string, string> = {}): Promise<EnduranceN8n> {
  const installation = await ensureN8n({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  const packed = await packPackage();
  const userFolder = await mkdtemp(join(tmpdir(), 'n8n-endurance-'));
  const emulator = await startEmulator();
  const n8n = await launchN8n({
    installation,
    userFolder,
    tarball: packed.tarball,
    env: { ...environmentOf(mode), ...env },
    readyTimeoutMs: 300_000,
  });
  const client = new N8nClient(n8n.url);
  await client.ownerSetup({
    email: 'owner@example.com',
    firstName: 'Test',
    lastName: 'Owner',
    password: 'Only-4-tests',
  });
  const data = { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url };
  const database = new N8nDatabase(userFolder);
  return {
    n8n,
    client,
    emulator,
    database,
    credential: await client.createCredential({ name: 'NeetoForm', type: 'neetoFormApi', data }),
    async stop() {
      database.close();
      await n8n.stop();
      await emulator.close();
      await packed.remove();
      await rm(userFolder, { recursive: true, force: true });
    },
  };
}
