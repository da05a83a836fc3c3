import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';

import type { Site } from './network.ts';

/** An npm registry of one package, as a site of a network. */
export interface Registry extends Site {
  /** The path of every request. */
  requests: string[];
  url: string;
}

/** Where this n8n looks for packages unless it is told otherwise, from its own settings. */
async function registryUrlOf(n8nFolder: string): Promise<string> {
  const settings = await readFile(
    join(n8nFolder, 'dist', 'modules', 'community-packages', 'community-packages.config.js'),
    'utf8',
  );
  const url = /this\.registry = '(https:[^']+)'/.exec(settings)?.[1];
  if (url === undefined) throw new Error('This n8n does not say where it looks for packages');
  return url;
}

/**
 * What n8n's registry says about a packed package after it was published; it knows no other package.
 *
 * @param n8nFolder the package `n8n`, as it is installed
 */
export async function registryOf(
  n8nFolder: string,
  tarball: string,
  manifest: { name: string; version: string },
): Promise<Registry> {
  const url = await registryUrlOf(n8nFolder);
  const { name, version } = manifest;
  const packed = await readFile(tarball);
  const file = `/${name}/-/${name}-${version}.tgz`;
  const digest = (algorithm: string, encoding: 'hex' | 'base64') =>
    createHash(algorithm).update(packed).digest(encoding);
  const published = {
    ...manifest,
    dist: { tarball: url + file, shasum: digest('sha1', 'hex'), integrity: `sha512-${digest('sha512', 'base64')}` },
  };
  const documents = new Map<string, unknown>([
    [`/${name}`, { name, 'dist-tags': { latest: version }, versions: { [version]: published } }],
    [`/${name}/latest`, published],
    [`/${name}/${version}`, published],
  ]);

  const requests: string[] = [];
  const answer: RequestListener = ({ url: path = '' }, response) => {
    requests.push(path);
    // The editor requests it too, from the address of n8n.
    response.setHeader('access-control-allow-origin', '*');
    if (path === file) return response.setHeader('content-type', 'application/octet-stream').end(packed);
    const document = documents.get(path);
    return response
      .writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(document ?? { error: 'Not found' }));
  };
  return { host: new URL(url).host, url, answer, requests };
}
