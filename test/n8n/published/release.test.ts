import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { x } from 'tinyexec';
import { parse } from 'yaml';

import { name, version as publishedFirst } from '../../../package.json';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { startTimeoutMs, textLike } from '../e2e/support/instance.ts';
import { type LocalRegistry, startLocalRegistry } from './support/registry.ts';

interface Workflow {
  jobs: { publish: { steps: Array<{ run?: string }> } };
}

describe('a release', () => {
  let registry: LocalRegistry;
  let folder: string;
  beforeAll(async () => {
    registry = await startLocalRegistry();
    folder = join(registry.home, 'repository');
    await x('git', ['clone', '--quiet', repositoryFolder, folder], { throwOnError: true });
    await git('checkout', '--quiet', '-B', 'main');
    await git('config', 'user.name', 'Test');
    await git('config', 'user.email', 'test@example.com');
    cpSync(join(repositoryFolder, 'dist'), join(folder, 'dist'), { recursive: true });
    symlinkSync(join(repositoryFolder, 'node_modules'), join(folder, 'node_modules'));
  }, startTimeoutMs);
  afterAll(async () => await registry.close());

  const git = async (...args: string[]) =>
    (await x('git', args, { throwOnError: true, nodeOptions: { cwd: folder } })).stdout.trim();
  const changelog = () => readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');

  /** Makes a release of a change as docs/releasing.md says, and publishes it with the script of publish.yml. @returns its version */
  async function release(increment: string): Promise<string> {
    writeFileSync(
      join(folder, 'CHANGELOG.md'),
      changelog().replace('## [Unreleased]\n', (heading) => `${heading}\n- Something new.\n`),
    );
    await git('commit', '--quiet', '--all', '--message', 'Change something');
    await runNpm(['run', 'release', '--', increment, '--ci'], folder);
    const tag = await git('describe', '--exact-match');

    const packed = join(registry.home, tag);
    mkdirSync(packed);
    await runNpm(['pack', '--ignore-scripts', '--pack-destination', packed], folder);
    const { jobs } = parse(readFileSync(join(folder, '.github/workflows/publish.yml'), 'utf8')) as Workflow;
    const script = jobs.publish.steps.find(({ run }) => run?.includes('npm publish'))?.run ?? '';
    const env = { ...registry.env, GITHUB_REF_NAME: tag, NPM_TOKEN: '' };
    await x('bash', ['-e', '-c', script], { throwOnError: true, nodeOptions: { cwd: packed, env } });
    return tag.replace(/^v/, '');
  }

  const tags = async (): Promise<unknown> =>
    JSON.parse(await runNpm(['view', name, 'dist-tags', '--json', '--prefer-online'], folder, registry.env));

  it('is a tagged commit with the version, with the heading in the changelog, and what users get', async () => {
    const version = await release('minor');
    expect(version).not.toBe(publishedFirst);
    expect(await git('show', 'HEAD', '--format=%s', '--name-only')).toBe(
      `Release ${version}\n\nCHANGELOG.md\npackage-lock.json\npackage.json`,
    );
    expect(changelog()).toMatch(
      RegExp(`## \\[Unreleased\\]\n\n## \\[${version}\\] - \\d{4}-\\d\\d-\\d\\d\n\n- Something new.\n`),
    );
    expect(await git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(await tags()).toEqual({ latest: version });

    // A beta does not change what users get.
    const beta = await release('prerelease');
    expect(beta).toEqual(textLike(/-beta\.0$/));
    expect(await tags()).toEqual({ latest: version, beta });
  }, 120_000);
});
