import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';

import { x } from 'tinyexec';

import manifest from '../../../package.json';
import { packPackage } from '../../../n8n-runner/communityPackage.ts';
import { ensureN8n } from '../../../n8n-runner/install.ts';
import { ensureProgram } from './browser.ts';

/** n8n's npm registry with this package only, behind a proxy on the loopback that leads to no other host. */
export interface Registry {
  /** The path of every request. */
  requests: string[];
  proxyUrl: string;
  /** Environment for a process that uses this registry, and for the npm that it starts. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/** @param folder for the certificate and npm's cache */
export async function startRegistry(folder: string): Promise<Registry> {
  const url = await registryUrl();
  const { host } = new URL(url);
  const requests: string[] = [];
  const certificate = await certify(host, folder);
  const site = createSecureServer(certificate, await registryOf(url, requests));
  const proxy = createServer((_request, response) => response.writeHead(502).end());
  const tunnels = new Set<Duplex>();
  proxy.on('connect', ({ url: target = '' }, socket) => {
    tunnels.add(socket);
    // The client may have disconnected.
    socket.on('error', () => socket.destroy());
    if (target !== `${host}:443`) return socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    return site.emit('connection', socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    requests,
    proxyUrl,
    env: {
      ...Object.fromEntries(['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].map((name) => [name, proxyUrl])),
      ...Object.fromEntries(
        ['NO_PROXY', 'no_proxy', 'npm_config_noproxy'].map((name) => [name, '127.0.0.1,localhost']),
      ),
      NODE_EXTRA_CA_CERTS: certificate.file,
      // The settings of the user's own npm are for another network.
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_registry: url,
      npm_config_cafile: certificate.file,
      npm_config_cache: join(folder, 'npm-cache'),
      npm_config_https_proxy: proxyUrl,
      npm_config_proxy: proxyUrl,
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    },
    async close() {
      for (const tunnel of tunnels) tunnel.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** Where n8n looks for packages unless it is told otherwise, from its own settings. */
async function registryUrl(): Promise<string> {
  const { script } = await ensureN8n();
  const settings = 'dist/modules/community-packages/community-packages.config.js';
  const text = await readFile(join(dirname(dirname(script)), settings), 'utf8');
  const url = /this\.registry = '(https:[^']+)'/.exec(text)?.[1];
  if (url === undefined) throw new Error('This n8n does not say where it looks for packages');
  return url;
}

/** Responds as n8n's registry does about this package after it was published; it knows no other package. */
async function registryOf(url: string, requests: string[]): Promise<RequestListener> {
  const { tarball, remove } = await packPackage();
  const packed = await readFile(tarball);
  await remove();
  const { name, version } = manifest;
  const file = `/${name}/-/${name}-${version}.tgz`;
  const shasum = createHash('sha1').update(packed).digest('hex');
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
  const published = { ...manifest, dist: { tarball: url + file, shasum, integrity } };
  const documents = new Map<string, unknown>([
    [`/${name}`, { name, 'dist-tags': { latest: version }, versions: { [version]: published } }],
    [`/${name}/latest`, published],
    [`/${name}/${version}`, published],
  ]);
  return ({ url: path = '' }, response) => {
    requests.push(path);
    // The editor requests it too, from the address of n8n.
    response.setHeader('access-control-allow-origin', '*');
    if (path === file) return response.setHeader('content-type', 'application/octet-stream').end(packed);
    const document = documents.get(path);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(document ?? { error: 'Not found' }));
  };
}

/** Makes a self-signed certificate for one host, valid for two days. */
async function certify(host: string, folder: string): Promise<{ file: string; cert: Buffer; key: Buffer }> {
  const [file, keyFile] = [join(folder, 'site.pem'), join(folder, 'site.key')];
  const request = 'req -x509 -newkey rsa:2048 -nodes -days 2'.split(' ');
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  const output = ['-keyout', keyFile, '-out', file];
  await x(ensureProgram('openssl'), [...request, ...names, ...output], { throwOnError: true });
  return { file, cert: await readFile(file), key: await readFile(keyFile) };
}
