import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { x } from 'tinyexec';
import { parse } from 'yaml';

import { repositoryFolder } from '../../../../n8n-runner/paths.ts';
import { runNpm } from '../../../../n8n-runner/process.ts';

/** What a release and its package are made from. */
const sources = 'package.json package-lock.json .release-it.json CHANGELOG.md README.md LICENSE.md dist'.split(' ');

/** Who commits. */
const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/**
 * Starts a git repository with the package of this one, which must have been built.
 *
 * @param folder does not exist yet
 * @param registry where its versions are published: npm's environment
 */
export async function startRepository(folder: string, registry: Record<string, string>) {
  const changelog = join(folder, 'CHANGELOG.md');
  const git = async (...args: string[]): Promise<string> => {
    const nodeOptions = { cwd: folder, env: identity };
    return (await x('git', args, { throwOnError: true, nodeOptions })).stdout.trim();
  };

  mkdirSync(folder);
  for (const source of sources) cpSync(join(repositoryFolder, source), join(folder, source), { recursive: true });
  symlinkSync(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', ...sources);
  await git('commit', '--quiet', '--message', 'Start');
  return {
    git,
    /** The changelog without what stands before the first version. */
    versions: () => readFileSync(changelog, 'utf8').replace(/^[^]*?(?=^## )/m, ''),
    /** Adds a line to the changelog. */
    async change(line: string): Promise<void> {
      const text = readFileSync(changelog, 'utf8');
      writeFileSync(
        changelog,
        text.replace('## [Unreleased]\n', (heading) => `${heading}\n- ${line}\n`),
      );
      await git('commit', '--quiet', '--all', '--message', 'Add a line to the changelog');
    },
    /** Makes a release as docs/releasing.md says. @returns its version */
    async release(increment: string): Promise<string> {
      await runNpm(['run', 'release', '--', increment, '--ci'], folder, identity);
      return (await git('describe', '--exact-match')).replace(/^v/, '');
    },
    /** Packs a version that was released last, and publishes it with the script of publish.yml. */
    async publish(version: string): Promise<void> {
      const packed = join(folder, version);
      mkdirSync(packed);
      await runNpm(['pack', '--ignore-scripts', '--pack-destination', packed], folder);
      const env = { ...registry, GITHUB_REF_NAME: `v${version}`, NPM_TOKEN: '' };
      await x('bash', ['-e', '-c', publishScript()], { throwOnError: true, nodeOptions: { cwd: packed, env } });
    },
  };
}

interface Workflow {
  jobs: Record<string, { steps: Array<{ run?: string }> }>;
}

function publishScript(): string {
  const { jobs } = parse(readFileSync(join(repositoryFolder, '.github/workflows/publish.yml'), 'utf8')) as Workflow;
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  const script = scripts.find((run) => run.includes('npm publish'));
  if (script === undefined) throw new Error('publish.yml does not publish');
  return script;
}
