import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

import { findFreePort } from '../../../n8n-host/ports.ts';

/** An npm registry of one package. */
export interface Registry {
  url: string;
  /** The path of every request. */
  requests: string[];
  close(): Promise<void>;
}

/** Serves a packed package on the loopback as npm's registry would after it was published; knows no other package. */
export async function startRegistry(tarball: string, manifest: { name: string; version: string }): Promise<Registry> {
  const packed = await readFile(tarball);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const file = `/${manifest.name}/-/${manifest.name}-${manifest.version}.tgz`;
  const published = { ...manifest, dist: { tarball: url + file, integrity: `sha512-${createHash('sha512').update(packed).digest('base64')}` } };
  const document = { name: manifest.name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: published } };

  const requests: string[] = [];
  const server = createServer(({ url: path = '' }, response) => {
    requests.push(path);
    if (path === file) response.end(packed);
    else if (path === `/${manifest.name}`) response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
