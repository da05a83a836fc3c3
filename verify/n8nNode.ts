import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { ensureInstalled } from '../n8n-runner/lockedInstall.ts';
import { withOurNodeFirst } from '../n8n-runner/npm.ts';
import { repositoryFolder } from '../n8n-runner/paths.ts';
import { exitWithParent, startGroup } from '../n8n-runner/processGroup.ts';
import type { Verdict } from './checklist.ts';

const installFolder = join(import.meta.dirname, 'n8n-node');
const modules = join(installFolder, 'node_modules');
const defaultConfig = join(modules, '@n8n/node-cli/dist/template/templates/shared/default/eslint.config.mjs');

/** What a node package made with n8n's own tool consists of. */
const project = [
  'package.json',
  'nodes',
  'credentials',
  'icons',
  'tsconfig.json',
  'README.md',
  'LICENSE.md',
  'CHANGELOG.md',
];

/**
 * Runs `n8n-node lint` of n8n's command line for node packages on a copy of the sources. In strict mode, which the
 * package.json asks for, it insists on its own ESLint configuration: the copy has that one.
 */
export async function lintAsN8n(say: (line: string) => void): Promise<Verdict> {
  await ensureInstalled({ folder: installFolder, what: 'n8n-node', size: '500 MB', onProgress: say });
  const copy = await mkdtemp(join(tmpdir(), 'n8n-node-lint-'));
  try {
    for (const name of project) await cp(join(repositoryFolder, name), join(copy, name), { recursive: true });
    await cp(defaultConfig, join(copy, 'eslint.config.mjs'));
    await symlink(modules, join(copy, 'node_modules'));
    return await lint(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function lint(folder: string): Promise<Verdict> {
  const output: string[] = [];
  const { npm_config_local_prefix: _ourFolder, ...env } = process.env;
  const run = await startGroup(process.execPath, {
    args: [exitWithParent, join(modules, '@n8n/node-cli/bin/n8n-node.mjs'), 'lint'],
    cwd: folder,
    env: withOurNodeFirst(env),
    onLine: (line) => output.push(stripVTControlCharacters(line)),
  });
  const { code } = await run.exited;
  const [version] = output.flatMap((line) => /n8n-node lint\s+(v\S+)/.exec(line)?.[1] ?? []);
  // ESLint says nothing when there is nothing to say, and ends well after warnings.
  const said = output.filter((line) => line.trim() !== '' && !/n8n-node lint|^npm (warn|notice)/.test(line));
  const failed = code !== 0 || said.some((line) => /\d+ problems?/.test(line));
  return {
    findings: failed ? [said.join('\n').replaceAll(`${folder}/`, '') || `ended with ${code ?? 'a signal'}`] : [],
    extent: version,
  };
}
