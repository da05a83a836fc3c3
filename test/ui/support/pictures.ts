import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page, PageScreenshotOptions } from 'playwright-core';

import { cacheFolder, repositoryFolder } from '../../../n8n-runner/paths.ts';

/** How long n8n takes to change its theme. */
const settleMs = 600;

/** The pictures of the documentation, as `<set>/<name>`. With `npm run pictures` they replace those in `docs/images`. */
const documented = [
  'first-steps/active',
  'first-steps/credential-good',
  'first-steps/form-list',
  'first-workflow/test-event',
  'first-workflow/mapped',
];

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
      const path = join(picturesFolder, `${name}-${colorScheme}.png`);
      await page.screenshot({ path, ...quiet });
      if (documented.includes(`${set}/${name}`)) await document(path);
    }
  };
}

/** What covers the page: notifications, tooltips, and the empty boxes that an expression's editor leaves behind. */
const covers = [
  '.el-notification',
  '[data-reka-popper-content-wrapper]:has([role="tooltip"])',
  'div[style="position: relative;"]:empty',
];

/** Without what moves or covers the page. */
export const quiet: PageScreenshotOptions = {
  animations: 'disabled',
  caret: 'hide',
  style: `${covers.join(', ')} { visibility: hidden !important }`,
};

/** Copies a picture into the documentation, when the tests are run to write it. */
export async function document(path: string): Promise<void> {
  if (process.env['WRITE_PICTURES'] === undefined) return;
  await copyFile(path, join(repositoryFolder, 'docs', 'images', basename(path)));
}
