import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type RequestListener, createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';

import { ensureProgram, openssl } from './programs.ts';

const run = promisify(execFile);

/** A host and its request handler. */
export interface Site {
  host: string;
  answer: RequestListener;
}

/** A network with a single site, behind a proxy on the loopback. Other hosts cannot be reached through the proxy. */
export interface Network {
  proxyUrl: string;
  /** Environment for a process that uses this network, and for the npm that it starts. */
  env: Record<string, string>;
  close(): Promise<void>;
}

/** Opens the network; the folder holds its certificate and npm's cache. */
export async function openNetwork({ host, answer }: Site, folder: string): Promise<Network> {
  const certificate = await certify(host, folder);
  const site = createSecureServer(
    { cert: await readFile(certificate.certFile), key: await readFile(certificate.keyFile) },
    answer,
  );
  const proxy = createServer((_request, response) => response.writeHead(502).end());
  const tunnels = new Set<Duplex>();
  proxy.on('connect', ({ url: target = '' }, socket) => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
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
    proxyUrl,
    env: environmentOf(proxyUrl, certificate.certFile, folder),
    async close() {
      for (const tunnel of tunnels) tunnel.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** A self-signed certificate for one host, valid for two days. */
async function certify(host: string, folder: string): Promise<{ certFile: string; keyFile: string }> {
  const [certFile, keyFile] = [join(folder, 'site.pem'), join(folder, 'site.key')];
  const names = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await run(ensureProgram(openssl), [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...names,
    '-keyout',
    keyFile,
    '-out',
    certFile,
  ]);
  return { certFile, keyFile };
}

function environmentOf(proxyUrl: string, certFile: string, folder: string): Record<string, string> {
  const loopback = '127.0.0.1,localhost';
  return {
    HTTPS_PROXY: proxyUrl,
    https_proxy: proxyUrl,
    HTTP_PROXY: proxyUrl,
    http_proxy: proxyUrl,
    NO_PROXY: loopback,
    no_proxy: loopback,
    NODE_EXTRA_CA_CERTS: certFile,
    // The settings of the user's own npm are for another network.
    npm_config_userconfig: join(folder, 'npmrc'),
    npm_config_cafile: certFile,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_https_proxy: proxyUrl,
    npm_config_proxy: proxyUrl,
    npm_config_noproxy: loopback,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}
