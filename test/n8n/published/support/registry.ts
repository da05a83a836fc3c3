import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import getPort from 'get-port';

import { packPackage } from '../../../../n8n-runner/communityPackage.ts';
import { ensureInstalled } from '../../../../n8n-runner/install.ts';
import { isOk, runNpm, startGroup, untilReady } from '../../../../n8n-runner/process.ts';

export type LocalRegistry = Awaited<ReturnType<typeof startLocalRegistry>>;

/** Starts an npm registry on this machine with this package, which must have been built. It knows no other, and anybody may publish. */
export async function startLocalRegistry() {
  const folder = await ensureInstalled({
    name: 'registry',
    megabytes: 65,
    dependencies: { verdaccio: '6.10.4' },
    // What it asks for is a tag, which not every copy of npm's registry has.
    overrides: { 'node-fetch': '2.7.0' },
  });
  const home = await mkdtemp(join(tmpdir(), 'registry-'));
  const address = `127.0.0.1:${await getPort({ host: '127.0.0.1' })}`;
  const config = join(home, 'config.yaml');
  const everybody = { access: '$all', publish: '$all' };
  const settings = {
    storage: join(home, 'storage'),
    packages: { '**': everybody },
    log: { type: 'stdout', level: 'warn' },
  };
  // JSON is YAML.
  await writeFile(config, JSON.stringify(settings));
  const group = await startGroup(process.execPath, {
    args: [join(folder, 'node_modules/verdaccio/bin/verdaccio'), '--config', config, '--listen', address],
    cwd: home,
    env: process.env,
    logFile: join(home, 'registry.log'),
  });
  const url = `http://${address}`;
  await untilReady('The local registry', group, async () => await isOk(`${url}/-/ping`));
  // npm wants a token to publish; this registry takes any.
  const env = { npm_config_registry: url, [`npm_config_//${address}/:_authToken`]: 'anybody' };
  const { tarball } = await packPackage(home);
  await runNpm(['publish', tarball, '--ignore-scripts'], home, env);
  return {
    url,
    env,
    home,
    async close(): Promise<void> {
      await group.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
