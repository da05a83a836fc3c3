import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

const root = resolve(__dirname, '../..');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
const [dockerfile, compose, guide] = ['Dockerfile', 'compose.yaml', 'docs/docker.md'].map(readText);

const service = z.object({ environment: z.record(z.string()).default({}) });
const { services } = z.object({ services: z.record(service) }).parse(parse(compose ?? '', { merge: true }));

// CI checks both files with Docker itself, and builds the image.
describe('the Docker files', () => {
  it('name exact versions of all images', () => {
    const froms = [...(dockerfile ?? '').matchAll(/^FROM (\S+)|^ARG N8N_VERSION=(.+)$/gm)].map(
      ([, from, arg]) => from ?? arg,
    );
    const images = [...(compose ?? '').matchAll(/^ +image: (\S+)$/gm)].map(([, image]) => image);
    const commands = [...(guide ?? '').matchAll(/(?<![\w./])n8nio\/n8n\S*/g)].map(([image]) => image);
    const named = [...froms, ...images, ...commands].filter((name) => name !== 'n8n-neetoform');
    expect(named.length).toBeGreaterThan(5);
    expect(
      named.filter(
        (name) => !/(?:^|:)(?:\d+\.\d+[.\d]*(?:-alpine)?|\$\{N8N_VERSION\})(?:@sha256:[0-9a-f]{64})?$/.test(name ?? ''),
      ),
    ).toEqual([]);
  });

  it('build the n8n version that the compatibility table ends with', () => {
    const tested = [...readText('README.md').matchAll(/^\| n8n ([\d.]+) \|/gm)].map(([, version]) => version);
    expect(/^ARG N8N_VERSION=(.+)$/m.exec(dockerfile ?? '')?.[1]).toBe(tested.at(-1));
  });

  it('run no scripts of packages, and install no version that npm chooses', () => {
    expect(dockerfile?.match(/npm install\b.*/g)).toEqual([expect.stringContaining('--ignore-scripts')]);
    expect(dockerfile).toMatch(/^ARG NEETOFORM_VERSION$/m);
  });

  it("switch on n8n's protection of private networks in the main instance and in the workers", () => {
    const isProtected = ({ environment }: z.infer<typeof service>) =>
      environment['N8N_SSRF_PROTECTION_ENABLED'] === 'true';
    expect(Object.keys(services).filter((name) => isProtected(service.parse(services[name])))).toEqual([
      'main',
      'worker',
    ]);
  });

  it('give n8n the addresses of its database and its queue, and secrets from .env only', () => {
    const environment = services['main']?.environment ?? {};
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([environment['DB_POSTGRESDB_HOST'], environment['QUEUE_BULL_REDIS_HOST']]),
    );
    for (const name of ['N8N_ENCRYPTION_KEY', 'DB_POSTGRESDB_PASSWORD'])
      expect(environment[name]).toMatch(/^\$\{\w+:\?/);
  });
});
