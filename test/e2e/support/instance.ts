import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Emulator, type WorkspaceSeed, sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { type Credential, N8nClient, type NewCredential, type Owner } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import type { Execution } from '../../../n8n-runner/execution.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';

/** An n8n instance with the packed package, connected to an emulated workspace. */
export interface TestInstance {
  n8n: RunningN8n;
  client: N8nClient;
  emulator: Emulator;
  credential: Credential;
  /** The folder with n8n's data. */
  userFolder: string;
  stop(): Promise<void>;
}

/** The owner of the instance. */
export const owner: Owner = {
  email: 'owner@example.com',
  firstName: 'Test',
  lastName: 'Owner',
  password: 'Only-4-tests',
};

/** The first start installs n8n, which takes minutes. */
export const startTimeoutMs = 900_000;

/**
 * Starts everything, with an owner logged in and a working credential.
 *
 * @param folder of another n8n than that of n8n-runner, with a package.json and a lockfile
 * @param env added to the environment of n8n
 */
export async function startTestInstance(
  seed: WorkspaceSeed = sampleWorkspace(Date.now()),
  folder?: string,
  env?: Record<string, string>,
): Promise<TestInstance> {
  const installation = await ensureN8n({ folder, onProgress: (line) => process.stderr.write(`${line}\n`) });
  const packed = await packPackage();
  const userFolder = await mkdtemp(join(tmpdir(), 'n8n-e2e-'));
  const emulator = await startEmulator({ seed });
  const options = { installation, userFolder, tarball: packed.tarball, env };
  const n8n = await launchN8n(options).catch(async (error: unknown) => {
    await emulator.close();
    await packed.remove();
    throw error;
  });
  const client = new N8nClient(n8n.url);
  await client.ownerSetup(owner);
  return {
    n8n,
    client,
    emulator,
    userFolder,
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

/**
 * Waits for the executions of a workflow that were not started by hand or by a test, and for their end.
 *
 * @param isComplete looks at what there is so far
 * @returns oldest first
 * @throws Error when they do not come within the time, in milliseconds
 */
export async function waitForExecutions(
  client: N8nClient,
  workflowId: string,
  isComplete: (executions: Execution[]) => boolean,
  timeoutMs = 200_000,
): Promise<Execution[]> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const started = (await client.listExecutions(workflowId)).filter(({ mode }) => mode !== 'manual').reverse();
    const executions = await Promise.all(started.map(async ({ id }) => await client.waitForExecution(id)));
    if (isComplete(executions)) return executions;
    if (Date.now() > deadline) {
      const seen = executions.map(({ status, error }) => error?.message ?? status);
      throw new Error(`Not the expected executions after ${timeoutMs} ms: ${JSON.stringify(seen)}`);
    }
    await sleep(200);
  }
}
