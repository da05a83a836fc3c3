import { type Browser, chromium, selectors } from 'playwright-core';

import type { LaunchOptions } from '../../../../n8n-runner/launch.ts';
import { startInstance } from '../../e2e/support/instance.ts';
import { ensureProgram } from '../../e2e/support/programs.ts';
import { Editor } from './editor.ts';
import { takePictures } from './pictures.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/** Starts a browser without a window, which reaches no other host. */
async function startBrowser(): Promise<Browser> {
  selectors.setTestIdAttribute('data-test-id');
  const names = ['chromium', 'chromium-browser', 'google-chrome'].map((name) => `command -v ${name}`);
  return await chromium.launch({
    proxy: { server: closedProxy, bypass: '127.0.0.1' },
    executablePath: ensureProgram('chromium', names.join(' || ')),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

export async function startStage(options?: LaunchOptions) {
  const instance = await startInstance(options);
  const browser = await startBrowser();
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en-US',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const editor = new Editor(page, instance.n8n.url);
  await editor.login();
  return {
    ...instance,
    page,
    editor,
    picture: async (name: string) => await takePictures(page, name),
    async stop(): Promise<void> {
      await takePictures(page, 'last-seen');
      await browser.close();
      await instance.stop();
    },
  };
}
