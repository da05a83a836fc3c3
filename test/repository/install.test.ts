import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { x } from 'tinyexec';

import { describeProgress } from '../../n8n-runner/install.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';

it.each([
  [0, 'npm is choosing the versions of all packages'],
  [1, 'npm is choosing the versions of all packages'],
  [2, '2 of about 3000 MB'],
])('an installation of %d MB says what happens', (megabytes, line) => {
  expect(describeProgress(megabytes, 3_000)).toBe(line);
});

describe('the check of an installed n8n', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'n8n-'));
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  /** Checks an n8n with these files of nodes. @returns what is missing */
  async function check(files: Record<string, string>): Promise<string[]> {
    const nodes = Object.keys(files).map((name) => [name, { className: 'Node', sourcePath: `dist/${name}.js` }]);
    const all: Record<string, string> = {
      'n8n-nodes-base/dist/known/nodes.json': JSON.stringify(Object.fromEntries(nodes)),
      '@n8n/n8n-nodes-langchain/dist/known/nodes.json': '{}',
      'there/index.js': "try { require('not-needed') } catch {}",
      'broken/index.js': "require('peer')",
    };
    for (const [name, code] of Object.entries(files)) all[`n8n-nodes-base/dist/${name}.js`] = code;
    for (const [path, text] of Object.entries(all)) {
      const file = join(folder, 'node_modules', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const script = join(repositoryFolder, 'n8n-runner/loadNodes.ts');
    const { stderr, exitCode } = await x(process.execPath, [script, join(folder, 'node_modules')]);
    expect(exitCode).toBe(stderr === '' ? 0 : 1);
    return stderr.split('\n').slice(1, -1);
  }

  const node = 'exports.Node = class { run() {} };';
  const missing = (where: string, name: string) => `${where}: Error: Cannot find module '${name}'`;

  it.each<[what: string, code: string, expected: string[]]>([
    ['accepts a node that loads', `require('there'); ${node}`, []],
    ['names a node with a package that lacks a peer', `require('broken'); ${node}`, [missing('first', 'peer')]],
    [
      'names a file that loads a missing package while it runs',
      `exports.Node = class { async run() { await import('absent') } };`,
      [missing('n8n-nodes-base/dist/first.js', 'absent')],
    ],
    ['names a node without its class', '', ['first: Error: There is no class Node']],
    [
      'names a node that cannot be created',
      'exports.Node = class { x = no };',
      ['first: ReferenceError: no is not defined'],
    ],
  ])('%s', async (_what, code, expected) => {
    expect(await check({ first: code })).toEqual(expected);
  });

  it('reads also what a file of a node loads', async () => {
    const second = "exports.later = () => require('absent');";
    expect(await check({ first: `require('./second'); ${node}`, second: `${second} ${node}` })).toEqual([
      missing('n8n-nodes-base/dist/second.js', 'absent'),
    ]);
  });
});
