import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';

import { cacheFolder } from '../../../n8n-runner/paths.ts';
import { document, quiet } from './pictures.ts';
import { ensureProgram, ffmpeg } from './programs.ts';

const run = promisify(execFile);

/** Few colors and no dithering keep the text sharp and the file small. */
const toGif = 'split[frames][all];[all]palettegen=max_colors=96[palette];[frames][palette]paletteuse=dither=none';

/** An animated picture: screenshots that follow each other. */
export class Recording {
  private readonly frames: Array<{ file: string; seconds: number }> = [];
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(): Promise<Recording> {
    return new Recording(await mkdtemp(join(tmpdir(), 'recording-')));
  }

  /** Adds the page as it is now. */
  async frame(page: Page, seconds = 1.5): Promise<void> {
    const file = join(this.folder, `${this.frames.length}.png`);
    await page.screenshot({ path: file, ...quiet });
    this.frames.push({ file, seconds });
  }

  /**
   * Writes `<name>.gif` to the folder of pictures.
   *
   * @param width in pixels
   * @returns the size of the file in bytes
   */
  async save(name: string, width: number): Promise<number> {
    const pictures = join(cacheFolder, 'ui');
    await mkdir(pictures, { recursive: true });
    const [list, gif] = [join(this.folder, 'frames.txt'), join(pictures, `${name}.gif`)];
    const lines = this.frames.map(({ file, seconds }) => `file '${file}'\nduration ${seconds}\n`);
    // The duration of the last frame counts only when a frame follows.
    await writeFile(list, [...lines, `file '${this.frames.at(-1)?.file}'\n`].join(''));
    const filter = `scale=${width}:-1:flags=lanczos,${toGif}`;
    const input = ['-f', 'concat', '-safe', '0', '-i', list];
    await run(ensureProgram(ffmpeg), ['-y', '-loglevel', 'error', ...input, '-vf', filter, '-fps_mode', 'vfr', gif]);
    await document(gif);
    return (await stat(gif)).size;
  }

  async discard(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
