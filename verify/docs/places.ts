import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Planned } from './plan.ts';

/** Where commands are run: nothing outside of it is changed. */
export interface Places {
  folderOf(where: Planned['where']): string;
  remove(): void;
}

/** Clones the last commit of a checkout. What is pushed from there goes to a repository that is thrown away too. */
export function makePlaces(checkout: string, { isLinked }: { isLinked: boolean }): Places {
  const home = mkdtempSync(join(tmpdir(), 'documents-'));
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const remove = () => rmSync(home, { recursive: true, force: true });
  try {
    const origin = join(home, 'origin.git');
    git(home, 'init', '--bare', '--initial-branch', 'main', origin);
    git(checkout, 'push', '--no-verify', origin, 'HEAD:refs/heads/main');
    const clone = (name: string) => {
      git(home, 'clone', origin, name);
      git(join(home, name), 'config', 'user.name', 'Nobody');
      git(join(home, name), 'config', 'user.email', 'nobody@example.com');
      return join(home, name);
    };
    const folders: Record<Planned['where'], string> = {
      clone: clone('clone'),
      'clone for releases': clone('release'),
      'empty folder': join(home, 'empty'),
    };
    mkdirSync(folders['empty folder']);
    const modules = join(checkout, 'node_modules');
    if (isLinked && existsSync(modules)) symlinkSync(realpathSync(modules), join(folders.clone, 'node_modules'), 'dir');
    return { folderOf: (where) => folders[where], remove };
  } catch (error) {
    remove();
    throw error;
  }
}
