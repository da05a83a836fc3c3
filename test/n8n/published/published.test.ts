import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, textLike, until } from '../e2e/support/instance.ts';
import { describeChecks } from '../versions/checks.ts';
import { type LocalRegistry, startLocalRegistry } from './support/registry.ts';
import { startRepository } from './support/repository.ts';

// Without PUBLISHED_VERSION, releases are made of this package, and published to a registry on this machine first.
const { PUBLISHED_VERSION: publishedVersion } = process.env;
const name = 'n8n-nodes-neetoform';

describe(publishedVersion ? `version ${publishedVersion} on npm` : 'a version published to a local registry', () => {
  let home: string;
  let registry: LocalRegistry | undefined;
  let repository: Awaited<ReturnType<typeof startRepository>>;
  let version = publishedVersion ?? '';
  let instance: TestInstance;
  const installed = () => join(instance.n8n.userFolder, '.n8n/nodes/node_modules', name);
  const npm = async (args: string[], folder = home) => await runNpm(args, folder, registry?.env);

  /** What the README says for an n8n without the menu: npm install in the folder of the community packages. */
  async function install(userFolder: string): Promise<void> {
    const folder = join(userFolder, '.n8n/nodes');
    await mkdir(folder, { recursive: true });
    await npm(['install', `${name}@${version}`, '--no-audit', '--no-fund'], folder);
  }

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'published-'));
    if (publishedVersion) {
      // npm shows a new version a while after it was published.
      const isThere = async () =>
        await npm(['view', `${name}@${version}`, 'version', '--prefer-online']).then(Boolean, () => false);
      await until(`${name}@${version} on npm`, isThere, { everyMs: 10_000, withinMs: 600_000 });
    } else {
      registry = await startLocalRegistry();
      repository = await startRepository(join(home, 'repository'), registry.env);
      version = await repository.release('minor');
      await repository.publish(version);
    }
    instance = await startTestInstance({ install });
  }, startTimeoutMs);
  afterAll(async () => {
    await instance.stop();
    await registry?.close();
    await rm(home, { recursive: true, force: true });
  });

  it('is what npm has installed for n8n, and nothing else', async () => {
    const manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8')) as object;
    expect(manifest).toMatchObject({ name, version });
    const packages = await readdir(join(installed(), '..'));
    expect(packages.filter((each) => !each.startsWith('.'))).toEqual([name]);
    const files = await readdir(installed(), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    const packed = await packPackage(home);
    expect(paths.map((path) => path.slice(installed().length + 1)).sort()).toEqual(packed.files);
  });

  it('is what users get, unless it is a beta', async () => {
    const tags = JSON.parse(await npm(['view', name, 'dist-tags', '--json'])) as Record<string, string>;
    expect(tags[version.includes('-') ? 'beta' : 'latest']).toBe(version);
  });

  describeChecks(() => instance);

  (publishedVersion ? describe.skip : describe)('a release', () => {
    it('is a tagged commit with the version, and with the heading in the changelog', async () => {
      expect(await repository.git('show', 'HEAD', '--format=%s', '--name-only')).toBe(
        `Release ${version}\n\nCHANGELOG.md\npackage-lock.json\npackage.json`,
      );
      const today = new Date().toISOString().slice(0, 10);
      expect(repository.versions()).toMatch(RegExp(`^## \\[Unreleased\\]\n\n## \\[${version}\\] - ${today}\n\n\\S`));
      expect(await repository.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    });

    it('is refused when the changelog has nothing new', async () => {
      await expect(repository.release('patch')).rejects.toThrow('There are no entries under "Unreleased"');
      expect(await repository.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    });

    it('of a beta does not change what users get', async () => {
      await repository.change('Something new.');
      const beta = await repository.release('prerelease');
      expect(beta).toEqual(textLike(/-beta\.0$/));
      await repository.publish(beta);
      expect(JSON.parse(await npm(['view', name, 'dist-tags', '--json', '--prefer-online']))).toEqual({
        latest: version,
        beta,
      });
    });
  });
});
