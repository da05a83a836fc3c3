import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Emulator, type WorkspaceSeed, believableWorkspace, startEmulator } from '../../../emulator/index.ts';
import { type Credential, N8nClient, type NewCredential } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';

/** A whole n8n with the packed package in it, connected to an emulated workspace. */
export interface WholeN8n {
  n8n: RunningN8n;
  client: N8nClient;
  emulator: Emulator;
  credential: Credential;
  stop(): Promise<void>;
}

/** Installing n8n on first use takes minutes. */
export const startTimeoutMs = 900_000;

/** Starts everything, with an owner logged in and a working credential; the n8n is the one of n8n-runner or of the given folder. */
export async function startWholeN8n(
  seed: WorkspaceSeed = believableWorkspace(Date.now()),
  folder?: string,
): Promise<WholeN8n> {
  const installation = await ensureN8n({ folder, onProgress: (line) => process.stderr.write(`${line}\n`) });
  const packed = await packPackage();
  const userFolder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
  const emulator = await startEmulator({ seed });
  const n8n = await launchN8n({ installation, userFolder, tarball: packed.tarball }).catch(async (error: unknown) => {
    await emulator.close();
    await packed.remove();
    throw error;
  });
  const client = new N8nClient(n8n.url);
  await client.ownerSetup({
    email: 'owner@example.com',
    firstName: 'Test',
    lastName: 'Owner',
    password: 'Only-4-tests',
  });
  return {
    n8n,
    client,
    emulator,
    credential: await client.createCredential(credentialFor(emulator)),
    async stop() {
      await n8n.stop();
      await emulator.close();
      await packed.remove();
      await rm(userFolder, { recursive: true, force: true });
    },
  };
}

/** What a user enters to connect to the emulator. */
export function credentialFor(emulator: Emulator, changes: Record<string, string> = {}): NewCredential {
  return {
    name: 'NeetoForm',
    type: 'neetoFormApi',
    data: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url, ...changes },
  };
}
