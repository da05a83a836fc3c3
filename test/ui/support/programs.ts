import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that these tests need, by the names it may have and the Debian package it comes with. */
interface Program {
  names: string[];
  debianPackage: string;
}

export const browser: Program = { names: ['chromium', 'chromium-browser', 'google-chrome'], debianPackage: 'chromium' };
export const openssl: Program = { names: ['openssl'], debianPackage: 'openssl' };
export const ffmpeg: Program = { names: ['ffmpeg'], debianPackage: 'ffmpeg' };

/** The path of a program; it is installed from Debian's packages if it is not there and this process may do it. */
export function ensureProgram({ names, debianPackage }: Program): string {
  const found = findOnPath(names);
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || findOnPath(['apt-get']) === undefined) {
    throw new Error(
      `These tests need ${names.join(' or ')} on the PATH. Install it, for example with \`sudo apt-get install ${debianPackage}\``,
    );
  }
  console.warn(`Installing ${debianPackage} with apt-get`);
  execFileSync('apt-get', ['update', '--quiet'], { stdio: 'ignore' });
  execFileSync('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', debianPackage], {
    stdio: 'ignore',
  });
  const installed = findOnPath(names);
  if (installed === undefined)
    throw new Error(`apt-get installed ${debianPackage}, but ${names.join(' and ')} are not on the PATH`);
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
