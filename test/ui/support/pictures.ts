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
    // What the pointer happens to be over may explain itself in a box.
    await page.mouse.move(0, 0);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await sleep(settleMs);
      // A message that is about to go would lie over what is to be seen.
      await page.screenshot({
        path: join(picturesFolder, `${name}-${colorScheme}.png`),
        caret: 'hide',
        style: '.el-notification { visibility: hidden }',
      });
    }
  };
}
