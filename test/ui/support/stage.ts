import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type WorkspaceSeed, sampleWorkspace } from '../../../emulator/index.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { credentialFor, startInstance } from '../../e2e/support/instance.ts';
import { startBrowser } from './browser.ts';
import { Editor } from './editor.ts';
import { openPictures } from './pictures.ts';
import { closedProxy, startRegistry } from './registry.ts';

/** An n8n, the registry that it takes packages from, with ours in it, a workspace of 250 forms, and a browser. */
export type Stage = Awaited<ReturnType<typeof startStage>>;

/**
 * Starts everything.
 *
 * @param pictures the folder for the pictures
 * @param without what the user still has to do
 */
export async function startStage(pictures: string, without?: 'package' | 'credential') {
  const folder = await mkdtemp(join(tmpdir(), 'n8n-ui-'));
  const { env, requests, close } = await startRegistry(folder);
  const instance = await startInstance({ seed: workspaceOf250Forms(), env, hasPackage: without !== 'package' });
  if (without === undefined) await instance.client.createCredential(credentialFor(instance.emulator));
  const browser = await startBrowser({ proxy: { server: closedProxy, bypass: '127.0.0.1' } });
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-US',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const editor = new Editor(page, instance.n8n.url);
  const picture = await openPictures(page, pictures);
  await editor.login();
  return {
    ...instance,
    page,
    /** The editor, with the owner logged in. */
    editor,
    /** The paths that were requested from the registry. */
    registryRequests: requests,
    /** Takes a picture of the page, in n8n's light theme and in its dark one; a documented one replaces that in `docs/images`. */
    picture,
    /** Runs npm where n8n keeps its community packages. */
    async npmInNodesFolder(...args: string[]): Promise<void> {
      const nodesFolder = join(instance.userFolder, '.n8n', 'nodes');
      await mkdir(nodesFolder, { recursive: true });
      await runNpm(args, nodesFolder, env);
    },
    async stop(): Promise<void> {
      await picture('last-seen');
      await browser.close();
      await instance.stop();
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function workspaceOf250Forms(): WorkspaceSeed {
  const now = Date.now();
  const day = 86_400_000;
  const { forms = [], ...rest } = sampleWorkspace(now);
  const special = [
    { title: 'Event feedback', createdAt: now - 20 * day, isPublished: false },
    { title: 'Empty form', createdAt: now - 21 * day, questions: [{ label: 'Your name' }, { label: 'Your team' }] },
  ];
  const workshops = Array.from({ length: 250 - forms.length - special.length }, (_, index) => ({
    title: `Workshop ${String(index + 1).padStart(3, '0')}: sign-up`,
    createdAt: now - (300 + index) * day,
  }));
  return { ...rest, forms: [...forms, ...workshops, ...special] };
}
