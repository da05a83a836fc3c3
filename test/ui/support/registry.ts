import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';

import manifest from '../../../package.json';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';

/** Nothing listens there: what leads to another host fails at once. */
export const closedProxy = 'http://127.0.0.1:9';

/**
 * Starts an npm registry with this package only.
 *
 * @param folder for the `npm` that n8n finds first, and npm's cache
 */
export async function startRegistry(folder: string) {
  const { tarball, remove } = await packPackage();
  const packed = await readFile(tarball);
  await remove();
  const { name, version } = manifest;
  const file = `/${name}/-/${name}-${version}.tgz`;
  const requests: string[] = [];
  const server = createServer(({ url: path = '', headers: { host } }, response) => {
    requests.push(path);
    if (path === file) return response.setHeader('content-type', 'application/octet-stream').end(packed);
    if (path !== `/${name}`) return response.writeHead(404).end('{}');
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    const published = { ...manifest, dist: { tarball: `http://${host}${file}`, integrity } };
    const document = { name, 'dist-tags': { latest: version }, versions: { [version]: published } };
    return response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  // n8n names its own registry in every call, and another one only with a license.
  const nodeFolder = dirname(process.execPath);
  const script = `#!/bin/sh
for argument; do
  shift
  case $argument in --registry=*) argument=--registry=${url};; esac
  set -- "$@" "$argument"
done
PATH='${process.env['PATH']}' exec npm "$@"
`;
  await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
  return {
    /** The path of every request. */
    requests,
    /** Environment for a process whose npm uses this registry, whatever registry it names, and that reaches no other host. */
    env: {
      PATH: [folder, nodeFolder, process.env['PATH']].join(delimiter),
      HTTPS_PROXY: closedProxy,
      HTTP_PROXY: closedProxy,
      NO_PROXY: '127.0.0.1,localhost',
      // The settings of the user's own npm are for another network.
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_registry: url,
      npm_config_cache: join(folder, 'npm-cache'),
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
