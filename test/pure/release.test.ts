import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { x } from 'tinyexec';

const root = join(__dirname, '../..');
let folder: string;

/** Runs a command in the repository of the test. */
async function run(command: string, args: string[]) {
  const env = {
    GIT_AUTHOR_NAME: 'Test',
    GIT_AUTHOR_EMAIL: 'test@example.com',
    GIT_COMMITTER_NAME: 'Test',
    GIT_COMMITTER_EMAIL: 'test@example.com',
  };
  const { stdout, stderr, exitCode } = await x(command, args, { nodeOptions: { cwd: folder, env } });
  return { output: `${stdout}${stderr}`.trim(), exitCode };
}
const git = async (...args: string[]) => (await run('git', args)).output;
const release = async (...args: string[]) => await run(process.execPath, [join(root, 'release/release.ts'), ...args]);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(folder, file));
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n- A thing.\n');
  await run('npm', ['version', '1.0.0', '--no-git-tag-version', '--ignore-scripts']);
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Start');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a release is a commit with the version and the heading in the changelog, and a tag', async () => {
  expect(await release('minor')).toMatchObject({ exitCode: 0, output: expect.stringContaining('v1.1.0') as unknown });
  const manifests = ['package.json', 'package-lock.json'].map((file) => readFileSync(join(folder, file), 'utf8'));
  for (const text of manifests) expect(JSON.parse(text)).toMatchObject({ version: '1.1.0' });
  const today = new Date().toISOString().slice(0, 10);
  expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).toContain(`\n## 1.1.0 - ${today}\n\n- A thing.\n`);
  expect(await git('log', '-1', '--format=%s')).toBe('Release 1.1.0');
  expect(await git('describe')).toBe('v1.1.0');
  expect(await git('status', '--porcelain')).toBe('');
}, 30_000);

it.each<[string, (() => Promise<unknown>) | undefined, string[], RegExp]>([
  ['nothing is said', undefined, [], /patch, minor, major or prerelease/],
  ['a change is not committed', async () => writeFileSync(join(folder, 'new'), ''), ['patch'], /not committed/],
  ['the tag exists', async () => await git('tag', 'v1.0.1'), ['patch'], /tag v1\.0\.1 already/],
  [
    'nothing is unreleased',
    async () => (await release('patch'), await git('tag', '--delete', 'v1.0.1')),
    ['1.0.2'],
    /nothing under/,
  ],
])(
  'a release is refused when %s, and changes nothing',
  async (_title, prepare, args, message) => {
    await prepare?.();
    const [head, status] = [await git('rev-parse', 'HEAD'), await git('status', '--porcelain')];
    expect(await release(...args)).toMatchObject({ exitCode: 1, output: expect.stringMatching(message) as unknown });
    expect([await git('rev-parse', 'HEAD'), await git('status', '--porcelain')]).toEqual([head, status]);
  },
  30_000,
);
