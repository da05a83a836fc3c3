import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';

import { cacheFolder, repositoryFolder } from '../../../../n8n-runner/paths.ts';

/** How long n8n takes to change its theme. */
const settleMs = 600;

/** What covers the page: notifications, tooltips, and the empty boxes that an expression's editor leaves behind. */
const covers = [
  '.el-notification',
  '[data-reka-popper-content-wrapper]:has([role="tooltip"])',
  'div[style="position: relative;"]:empty',
];

/**
 * Takes a picture of the page in n8n's light theme and one in its dark theme, without what moves or covers it. With WRITE_PICTURES set,
 * they replace the pictures of the same names in the documentation, if there are any.
 */
export async function takePictures(page: Page, name: string): Promise<void> {
  const style = `${covers.join(', ')} { visibility: hidden !important }`;
  // A tooltip may be open where the pointer is.
  await page.mouse.move(0, 0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await sleep(settleMs);
    const file = `${name}-${colorScheme}.png`;
    const path = join(cacheFolder, 'ui', file);
    await page.screenshot({ path, animations: 'disabled', caret: 'hide', style });
    const documented = join(repositoryFolder, 'docs', 'images', file);
    if (process.env['WRITE_PICTURES'] !== undefined && existsSync(documented)) await copyFile(path, documented);
  }
}
