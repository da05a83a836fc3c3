import { type Browser, type LaunchOptions, chromium, selectors } from 'playwright-core';

import { browser as program, ensureProgram } from './programs.ts';

/** Starts a browser without a window. */
export async function startBrowser(options: LaunchOptions = {}): Promise<Browser> {
  selectors.setTestIdAttribute('data-test-id');
  return await chromium.launch({
    ...options,
    executablePath: ensureProgram(program),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
