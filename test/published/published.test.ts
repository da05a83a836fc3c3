import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { runNpm } from '../../n8n-runner/process.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, until } from '../e2e/support/instance.ts';
import { describeChecks } from '../versions/checks.ts';

/** The version on npm that users get. */
const { PUBLISHED_VERSION: version } = process.env;
const name = 'n8n-nodes-neetoform';

describe(`version ${version ?? '(no PUBLISHED_VERSION)'} on npm`, () => {
  let instance: TestInstance;

  /** What the README says for an n8n without the menu: npm install in the folder of the community packages. */
  async function install(userFolder: string): Promise<void> {
    const folder = join(userFolder, '.n8n/nodes');
    await mkdir(folder, { recursive: true });
    await runNpm(['install', `${name}@${version}`, '--no-audit', '--no-fund'], folder);
  }

  beforeAll(async () => {
    if (!version) throw new Error('Set PUBLISHED_VERSION');
    // npm shows a new version a while after it was published.
    const view = ['view', `${name}@${version}`, 'version', '--prefer-online'];
    const isThere = async () => await runNpm(view, repositoryFolder).then(Boolean, () => false);
    await until(`${name}@${version} on npm`, isThere, { everyMs: 10_000, withinMs: 600_000 });
    instance = await startTestInstance({ install });
  }, startTimeoutMs);
  afterAll(async () => await instance.stop());

  it('is what npm has installed for n8n, and nothing else', async () => {
    const modules = join(instance.n8n.userFolder, '.n8n/nodes/node_modules');
    const manifest: unknown = JSON.parse(await readFile(join(modules, name, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name, version });
    expect((await readdir(modules)).filter((each) => !each.startsWith('.'))).toEqual([name]);
  });

  it('is what users get, unless it is a beta', async () => {
    const tags: unknown = JSON.parse(await runNpm(['view', name, 'dist-tags', '--json'], repositoryFolder));
    expect(tags).toMatchObject({ [version?.includes('-') ? 'beta' : 'latest']: version });
  });

  describeChecks(() => instance);
});
