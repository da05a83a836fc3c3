import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIBackend, type Document } from 'openapi-backend';
import { parse } from 'yaml';
import { parseTimestamp } from '../store/timestamps.ts';

const EMAIL = /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

const file = readFileSync(join(import.meta.dirname, '../openapi.yaml'), 'utf8');

/** The OpenAPI document of the service, its references not resolved. No object stands in two places. */
export const document = JSON.parse(JSON.stringify(parse(file, { merge: true }))) as Document;

/** The document, compiled to route and validate by it: that takes as long as many requests. */
export const compiled: Promise<OpenAPIBackend> = new OpenAPIBackend({
  definition: structuredClone(document),
  strict: true,
  validate: true,
  quick: true,
  // `verbose` puts the violated schema, and with it its `x-error`, into an error. Unknown keywords are the extensions.
  ajvOpts: { verbose: true, strict: false },
  customizeAjv: (ajv) => {
    ajv.addFormat('email', (text) => EMAIL.test(text));
    ajv.addFormat('date-time', (text) => DATE_TIME.test(text));
    ajv.addFormat('uri', (text) => URL.canParse(text));
    ajv.addFormat('iso-8601', (text) => parseTimestamp(text) !== undefined);
    ajv.addFormat('time-zone', isTimeZone);
    return ajv;
  },
}).init();

function isTimeZone(name: string): boolean {
  try {
    return Boolean(Intl.DateTimeFormat('en', { timeZone: name }));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
