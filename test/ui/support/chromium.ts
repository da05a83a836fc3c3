import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of a Chromium; one is installed from Debian's packages if there is none and this process may do it. */
export function ensureChromium(): string {
  const found = findOnPath(names);
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || findOnPath(['apt-get']) === undefined) {
    throw new Error(`These tests need a browser: ${names.join(', ')} are not on the PATH. Install one, for example with \`sudo apt-get install chromium\``);
  }
  console.warn('Installing chromium with apt-get');
  execFileSync('apt-get', ['update', '--quiet'], { stdio: 'ignore' });
  execFileSync('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  const installed = findOnPath(names);
  if (installed === undefined) throw new Error('apt-get installed chromium, but it is not on the PATH');
  return installed;
}

function findOnPath(commands: string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return commands.flatMap((command) => folders.map((folder) => join(folder, command))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
