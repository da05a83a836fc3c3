import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import type { Page } from 'playwright-core';
import { z } from 'zod';

import { type Emulator, type WorkspaceSeed, sampleWorkspace, startEmulator } from '../../../emulator/index.ts';
import { N8nClient } from '../../../n8n-runner/client.ts';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { type RunningN8n, launchN8n } from '../../../n8n-runner/launch.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { startBrowser } from './browser.ts';
import { owner } from './editor.ts';
import { openNetwork } from './network.ts';
import { openPictures } from './pictures.ts';
import { type Registry, registryOf } from './registry.ts';

/** An n8n, the registry that it takes packages from, with ours in it, a workspace of 250 forms, and a browser. */
export interface Stage {
  n8n: RunningN8n;
  emulator: Emulator;
  registry: Registry;
  page: Page;
  /** Takes a picture of the page, in n8n's light theme and in its dark one. */
  picture(name: string): Promise<void>;
  /** Runs npm where n8n keeps its community packages. */
  npmInNodesFolder(...args: string[]): Promise<void>;
  /** Takes a picture of what is shown last, and stops everything. */
  stop(): Promise<void>;
}

/** Installing n8n on first use takes minutes. */
export const startTimeoutMs = 900_000;

const packageManifest = z.object({ name: z.string(), version: z.string() }).passthrough();

export interface StageOptions {
  /** The folder for the pictures. */
  pictures: string;
  /** What is there already. Default: nothing. */
  has?: 'package' | 'package and credential';
}

/** Starts everything, with an owner who has not logged in yet. */
export async function startStage(options: StageOptions): Promise<Stage> {
  const cleanUp: Array<() => Promise<void>> = [];
  const stop = async () => {
    for (const close of cleanUp.splice(0).reverse()) await close();
  };
  try {
    const stage = await startAll(cleanUp, options);
    return {
      ...stage,
      stop: async () => await stage.picture('last-seen').finally(stop),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startAll(
  cleanUp: Array<() => Promise<void>>,
  { pictures, has }: StageOptions,
): Promise<Omit<Stage, 'stop'>> {
  const installation = await ensureN8n({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  const packed = await packPackage();
  cleanUp.push(packed.remove);
  const n8nFolder = dirname(dirname(installation.script));
  const registry = await registryOf(
    n8nFolder,
    packed.tarball,
    packageManifest.parse(JSON.parse(await readFile(join(repositoryFolder, 'package.json'), 'utf8'))),
  );
  const emulator = await startEmulator({ seed: workspaceOf250Forms() });
  cleanUp.push(emulator.close);
  const userFolder = await mkdtemp(join(tmpdir(), 'n8n-ui-'));
  cleanUp.push(async () => await rm(userFolder, { recursive: true, force: true }));

  const network = await openNetwork(registry, userFolder);
  cleanUp.push(network.close);

  const n8n = await launchN8n({
    installation,
    userFolder,
    env: network.env,
    tarball: has === undefined ? undefined : packed.tarball,
  });
  cleanUp.push(async () => await n8n.stop());
  const client = new N8nClient(n8n.url);
  await client.ownerSetup(owner);
  if (has === 'package and credential') {
    await client.createCredential({
      name: 'NeetoForm account',
      type: 'neetoFormApi',
      data: { subdomain: 'acme', apiKey: emulator.apiKey, baseUrl: emulator.url },
    });
  }

  const proxy = { server: network.proxyUrl, bypass: '127.0.0.1' };
  const browser = await startBrowser({ proxy });
  cleanUp.push(async () => await browser.close());
  // The network's certificate is known to n8n and npm only.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-US',
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  return {
    n8n,
    emulator,
    registry,
    page,
    picture: await openPictures(page, pictures),
    async npmInNodesFolder(...args) {
      const folder = join(userFolder, '.n8n', 'nodes');
      await mkdir(folder, { recursive: true });
      await runNpm(args, folder, { ...network.env, npm_config_registry: registry.url });
    },
  };
}

function workspaceOf250Forms(): WorkspaceSeed {
  const now = Date.now();
  const { forms = [], ...rest } = sampleWorkspace(now);
  const others = Array.from({ length: 250 - forms.length }, (_, index) => ({
    title: `Workshop ${String(index + 1).padStart(3, '0')}: sign-up`,
    createdAt: now - (300 + index) * 86_400_000,
  }));
  const marked = [
    { title: 'Event feedback', createdAt: now - 20 * 86_400_000, isPublished: false },
    {
      title: 'Empty form',
      createdAt: now - 21 * 86_400_000,
      questions: [{ label: 'Your name' }, { label: 'Your team' }],
    },
  ];
  return { ...rest, forms: [...forms, ...others.slice(marked.length), ...marked] };
}
