import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';

const file = readFileSync(join(import.meta.dirname, '../openapi.yaml'), 'utf8');

/** The OpenAPI document of the service, its references not resolved. No object stands in two places. */
export const document = JSON.parse(JSON.stringify(parse(file, { merge: true }))) as Document;

/** The document, compiled to route and validate by it: that takes as long as many requests. */
export const compiled: Promise<OpenAPIBackend> = new OpenAPIBackend({
  definition: structuredClone(document),
  strict: true,
  validate: true,
  quick: true,
  ajvOpts: {
    // Puts the violated schema, and with it its `x-error`, into an error.
    verbose: true,
    // Unknown keywords are the extensions.
    strict: false,
    useDefaults: true,
    formats: {
      email: /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/,
      'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/,
      uri: (text: string) => URL.canParse(text),
    },
  },
}).init();
