import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import manifest from '../../../package.json';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { runNpm } from '../../../n8n-runner/process.ts';
import { chain, neetoFormNode, startNode } from '../../../n8n-runner/workflow.ts';
import { startTimeoutMs, until, useTestInstance } from '../e2e/support/instance.ts';
import { describeChecks } from '../versions/checks.ts';
import { type LocalRegistry, startLocalRegistry } from './support/registry.ts';

const { PUBLISHED_VERSION: publishedVersion } = process.env;
const { name } = manifest;
const version = publishedVersion ?? manifest.version;

describe(publishedVersion ? `version ${version} on npm` : 'a version published to a local registry', () => {
  let registry: LocalRegistry | undefined;
  const npm = async (args: string[], folder: string) => await runNpm(args, folder, registry?.env);
  beforeAll(async () => {
    if (!publishedVersion) registry = await startLocalRegistry();
  }, startTimeoutMs);
  afterAll(async () => await registry?.close());

  const instance = useTestInstance({
    /** What the README says for an n8n without the menu: npm install in the folder of the community packages. */
    async install(userFolder) {
      const folder = join(userFolder, '.n8n/nodes');
      await mkdir(folder, { recursive: true });
      // npm shows a new version a while after it was published.
      const isThere = async () =>
        await npm(['view', `${name}@${version}`, 'version', '--prefer-online'], folder).then(Boolean, () => false);
      await until(`${name}@${version}`, isThere, { everyMs: 10_000, withinMs: 600_000 });
      await npm(['install', `${name}@${version}`, '--no-audit', '--no-fund'], folder);
    },
  });

  it('is what npm has installed for n8n, and nothing else', async () => {
    const { userFolder } = instance().n8n;
    const modules = join(userFolder, '.n8n/nodes/node_modules');
    const packages = await readdir(modules);
    expect(packages.filter((each) => !each.startsWith('.'))).toEqual([name]);
    expect(JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'))).toMatchObject({ name, version });
    const files = await readdir(join(modules, name), { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    const packed = await packPackage(userFolder);
    expect(paths.sort()).toEqual(packed.files.map((path) => join(modules, name, path)));
  });

  it('is what users get, unless it is a beta', async () => {
    const { userFolder } = instance().n8n;
    const tags = JSON.parse(await npm(['view', name, 'dist-tags', '--json'], userFolder)) as Record<string, string>;
    expect(tags[version.includes('-') ? 'beta' : 'latest']).toBe(version);
  });

  // The suite `e2e` makes all checks with the files that were published to the local registry.
  if (publishedVersion) describeChecks(instance);
  else
    it('runs in n8n', async () => {
      const { run, credential } = instance();
      const getForms = neetoFormNode(credential, { resource: 'form', operation: 'getAll', limit: 1, filters: {} });
      const { status, itemsOf } = await run(chain([startNode(), getForms]));
      expect([status, itemsOf('NeetoForm').length]).toEqual(['success', 1]);
    });
});
