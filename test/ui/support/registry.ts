import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { fastify } from 'fastify';

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
  const server = fastify({ forceCloseConnections: true });
  server.addHook('onRequest', async (request) => void requests.push(request.url));
  server.get(file, async (_request, reply) => reply.type('application/octet-stream').send(packed));
  server.get(`/${name}`, async ({ host }) => {
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    const published = { ...manifest, dist: { tarball: `http://${host}${file}`, integrity } };
    return { name, 'dist-tags': { latest: version }, versions: { [version]: published } };
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

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
    close: async () => await server.close(),
  };
}
