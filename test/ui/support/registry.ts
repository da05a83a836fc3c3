import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';

import type { Site } from './network.ts';

/** Where n8n and npm look for packages unless they are told otherwise. */
const defaultHost = 'registry.npmjs.org';

export const registryUrl = `https://${defaultHost}`;

/** An npm registry of one package, as a site of a network. */
export interface Registry extends Site {
  /** The path of every request. */
  requests: string[];
}

/** What the registry says about a packed package after it was published; it knows no other package. */
export async function registryOf(tarball: string, manifest: { name: string; version: string }): Promise<Registry> {
  const { name, version } = manifest;
  const packed = await readFile(tarball);
  const file = `/${name}/-/${name}-${version}.tgz`;
  const digest = (algorithm: string, encoding: 'hex' | 'base64') => createHash(algorithm).update(packed).digest(encoding);
  const published = { ...manifest, dist: { tarball: registryUrl + file, shasum: digest('sha1', 'hex'), integrity: `sha512-${digest('sha512', 'base64')}` } };
  const documents = new Map<string, unknown>([
    [`/${name}`, { name, 'dist-tags': { latest: version }, versions: { [version]: published } }],
    [`/${name}/latest`, published],
    [`/${name}/${version}`, published],
  ]);

  const requests: string[] = [];
  const answer: RequestListener = ({ url: path = '' }, response) => {
    requests.push(path);
    // The editor asks it too, from the address of n8n.
    response.setHeader('access-control-allow-origin', '*');
    if (path === file) return response.setHeader('content-type', 'application/octet-stream').end(packed);
    const document = documents.get(path);
    return response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(document ?? { error: 'Not found' }));
  };
  return { host: defaultHost, answer, requests };
}
