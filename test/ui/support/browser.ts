import { spawnSync } from 'node:child_process';

import { type Browser, type LaunchOptions, chromium, selectors } from 'playwright-core';

/** The programs that these tests need: a Debian package, and the names that the program may have. */
const programs = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  ffmpeg: ['ffmpeg'],
};

/** The path of a program. */
export function findProgram(debianPackage: keyof typeof programs): string {
  const commands = programs[debianPackage].map((name) => `command -v ${name}`);
  const path = spawnSync('sh', ['-c', commands.join(' || ')], { encoding: 'utf8' }).stdout.trim();
  if (path === '') throw new Error(`These tests need ${debianPackage}: on Debian, apt-get install ${debianPackage}`);
  return path;
}

/** Starts a browser without a window. */
export async function startBrowser(options: LaunchOptions = {}): Promise<Browser> {
  selectors.setTestIdAttribute('data-test-id');
  return await chromium.launch({
    ...options,
    executablePath: findProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
