import { execFileSync, spawnSync } from 'node:child_process';

import { type Browser, type LaunchOptions, chromium, selectors } from 'playwright-core';

/** The programs that these tests need: a Debian package, and the names that the program may have. */
const programs = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  ffmpeg: ['ffmpeg'],
};

/** The path of a program; it is installed from Debian's packages if it is not there and this process may do it. */
export function ensureProgram(debianPackage: keyof typeof programs): string {
  const commands = programs[debianPackage].map((name) => `command -v ${name}`);
  const find = () => spawnSync('sh', ['-c', commands.join(' || ')], { encoding: 'utf8' }).stdout.trim();
  if (find() === '' && process.getuid?.() === 0) {
    console.warn(`Installing ${debianPackage} with apt-get`);
    execFileSync('apt-get', ['update', '--quiet'], { stdio: 'ignore' });
    const options = ['--yes', '--quiet', '--no-install-recommends'];
    execFileSync('apt-get', ['install', ...options, debianPackage], { stdio: 'ignore' });
  }
  if (find() === '') throw new Error(`These tests need ${debianPackage}: on Debian, apt-get install ${debianPackage}`);
  return find();
}

/** Starts a browser without a window. */
export async function startBrowser(options: LaunchOptions = {}): Promise<Browser> {
  selectors.setTestIdAttribute('data-test-id');
  return await chromium.launch({
    ...options,
    executablePath: ensureProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
