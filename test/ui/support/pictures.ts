import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import { cacheFolder } from '../../../n8n-runner/paths.ts';

/** How long n8n's transitions take. */
const settleMs = 600;

/**
 * Empties a folder of pictures, and returns the function that takes them, in n8n's light theme and in its dark one.
 *
 * @param set name of the folder, one for each file of tests
 */
export async function openPictures(page: Page, set: string): Promise<(name: string) => Promise<void>> {
  const picturesFolder = join(cacheFolder, 'ui', set);
  await rm(picturesFolder, { recursive: true, force: true });
  await mkdir(picturesFolder, { recursive: true });
  return async (name) => {
    // A tooltip may be open where the pointer is.
    await page.mouse.move(0, 0);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await sleep(settleMs);
      // A notification would cover the page.
      await page.screenshot({
        path: join(picturesFolder, `${name}-${colorScheme}.png`),
        caret: 'hide',
        style: '.el-notification { visibility: hidden }',
      });
    }
  };
}
