import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { x } from 'tinyexec';

import { packPackage, unpack } from '../../../n8n-runner/communityPackage.ts';
import { repositoryFolder } from '../../../n8n-runner/paths.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { startLocalRegistry } from '../../../release/localRegistry.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, until } from '../e2e/support/instance.ts';
import { describeChecks } from '../versions/checks.ts';

// Without PUBLISHED_VERSION, the package is published to a registry on this machine first, by the script that the workflow uses.
const { PUBLISHED_VERSION: publishedVersion } = process.env;
const name = 'n8n-nodes-neetoform';

interface Manifest {
  version: string;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

describe(publishedVersion ? `version ${publishedVersion} on npm` : 'a version published to a local registry', () => {
  let home: string;
  let registry: Awaited<ReturnType<typeof startLocalRegistry>> | undefined;
  let version: string;
  let packedFiles: string[];
  let instance: TestInstance;
  const installed = () => join(instance.n8n.userFolder, '.n8n/nodes/node_modules', name);
  const npm = async (args: string[], folder = home) => await runNpm(args, folder, registry?.env);

  /** Publishes the packed package under a version. */
  async function publish(tarball: string, as: string): Promise<void> {
    const folder = join(home, as);
    await unpack(tarball, folder);
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...(await readManifest(folder)), version: as }));
    const script = join(repositoryFolder, 'release/publish.ts');
    const nodeOptions = { cwd: folder, env: { ...registry?.env, GITHUB_ACTIONS: '' } };
    await x(process.execPath, [script], { throwOnError: true, nodeOptions });
  }

  /** What the README says for an n8n without the menu: npm install in the folder of the community packages. */
  async function install(userFolder: string): Promise<void> {
    const folder = join(userFolder, '.n8n/nodes');
    await mkdir(folder, { recursive: true });
    await npm(['install', `${name}@${version}`, '--no-audit', '--no-fund'], folder);
  }

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'published-'));
    if (publishedVersion) {
      version = publishedVersion;
      // npm shows a new version a while after it was published.
      const isThere = async () =>
        await npm(['view', `${name}@${version}`, 'version', '--prefer-online']).then(Boolean, () => false);
      await until(`${name}@${version} on npm`, isThere, { everyMs: 10_000, withinMs: 600_000 });
    } else {
      registry = await startLocalRegistry();
      const { tarball, files } = await packPackage(home);
      packedFiles = files;
      ({ version } = await readManifest(repositoryFolder));
      await publish(tarball, version);
      await publish(tarball, '99.0.0-beta.0');
    }
    instance = await startTestInstance({ install });
  }, startTimeoutMs);
  afterAll(async () => {
    await instance.stop();
    await registry?.close();
    await rm(home, { recursive: true, force: true });
  });

  it('is what npm has installed for n8n, and nothing else', async () => {
    expect(await readManifest(installed())).toMatchObject({ name, version });
    const packages = await readdir(join(installed(), '..'));
    expect(packages.filter((each) => !each.startsWith('.'))).toEqual([name]);
    const files = await readdir(installed(), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    if (registry) expect(paths.map((path) => path.slice(installed().length + 1)).sort()).toEqual(packedFiles);
  });

  it('is what users get, unless it is a beta', async () => {
    const tags = JSON.parse(await npm(['view', name, 'dist-tags', '--json'])) as Record<string, string>;
    if (registry) expect(tags).toEqual({ latest: version, beta: '99.0.0-beta.0' });
    else expect(tags[version.includes('-') ? 'beta' : 'latest']).toBe(version);
  });

  describeChecks(() => instance);
});
