import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import { cacheFolder } from '../../../n8n-runner/paths.ts';

const picturesFolder = join(cacheFolder, 'ui');
/** How long n8n's transitions take. */
const settleMs = 600;

/** Empties the folder of pictures, and gives the function that takes them. */
export async function openPictures(page: Page): Promise<(name: string) => Promise<void>> {
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
