import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

const file = readFileSync(join(import.meta.dirname, '../openapi.yaml'), 'utf8');

/** The OpenAPI document of the service. The detour through JSON copies what YAML's anchors share, so that a change stays in one place. */
export const document = JSON.parse(JSON.stringify(parse(file, { merge: true }))) as Document;

export const compiled: Promise<OpenAPIBackend> = new OpenAPIBackend({
  definition: structuredClone(document),
  strict: true,
  quick: true,
  ajvOpts: {
    // An error then contains the violated schema, and with it `x-error`.
    verbose: true,
    useDefaults: true,
    formats: {
      email: /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/,
      'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
      uri: (text: string) => URL.canParse(text),
    },
  },
}).init();
