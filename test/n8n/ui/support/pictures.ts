import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Page } from 'playwright-core';
import { x } from 'tinyexec';

import { cacheFolder, repositoryFolder } from '../../../../n8n-runner/paths.ts';
import { ensureProgram } from '../../e2e/support/programs.ts';

const picturesFolder = join(cacheFolder, 'ui');

/** How long n8n takes to change its theme. */
const settleMs = 600;

/** What covers the page: notifications, tooltips, and the empty boxes that an expression's editor leaves behind. */
const covers = [
  '.el-notification',
  '[data-reka-popper-content-wrapper]:has([role="tooltip"])',
  'div[style="position: relative;"]:empty',
];

/** Takes a picture without what moves or covers the page. */
async function takePicture(page: Page, path: string): Promise<void> {
  const style = `${covers.join(', ')} { visibility: hidden !important }`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide', style });
}

/** Takes a picture of the page as it is. */
export async function savePicture(page: Page, name: string): Promise<void> {
  const path = join(picturesFolder, `${name}.png`);
  await takePicture(page, path);
  await document(path);
}

/** With WRITE_PICTURES set, replaces the picture of the same name in the documentation, if there is one. */
async function document(path: string): Promise<void> {
  const documented = join(repositoryFolder, 'docs', 'images', basename(path));
  if (process.env['WRITE_PICTURES'] !== undefined && existsSync(documented)) await copyFile(path, documented);
}

/** Takes a picture of the page in n8n's light theme and one in its dark theme. */
export async function takePictures(page: Page, name: string): Promise<void> {
  // A tooltip may be open where the pointer is.
  await page.mouse.move(0, 0);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await sleep(settleMs);
    await savePicture(page, `${name}-${colorScheme}`);
  }
}

/** Few colors and no dithering keep the text sharp and the file small. */
const toGif = 'split[frames][all];[all]palettegen=max_colors=96[palette];[frames][palette]paletteuse=dither=none';

/** An animated picture: screenshots that follow each other. */
export class Recording {
  private readonly frames: Array<{ file: string; seconds: number }> = [];
  private readonly folder = mkdtemp(join(tmpdir(), 'recording-'));

  /** Adds the page as it is now. */
  async frame(page: Page, seconds = 1.5): Promise<void> {
    const file = join(await this.folder, `${this.frames.length}.png`);
    await takePicture(page, file);
    this.frames.push({ file, seconds });
  }

  /**
   * Writes `<name>.gif` to the folder of pictures, 960 pixels wide.
   *
   * @returns the size of the file in bytes
   */
  async save(name: string): Promise<number> {
    await mkdir(picturesFolder, { recursive: true });
    const [list, gif] = [join(await this.folder, 'frames.txt'), join(picturesFolder, `${name}.gif`)];
    const lines = this.frames.map(({ file, seconds }) => `file '${file}'\nduration ${seconds}\n`);
    // The duration of the last frame counts only when a frame follows.
    await writeFile(list, [...lines, `file '${this.frames.at(-1)?.file}'\n`].join(''));
    const input = ['-y', '-loglevel', 'error', '-f', 'concat', '-safe', '0', '-i', list];
    const output = ['-vf', `scale=960:-1:flags=lanczos,${toGif}`, '-fps_mode', 'vfr', gif];
    await x(ensureProgram('ffmpeg', 'command -v ffmpeg'), [...input, ...output], { throwOnError: true });
    await rm(await this.folder, { recursive: true, force: true });
    await document(gif);
    return (await stat(gif)).size;
  }
}
