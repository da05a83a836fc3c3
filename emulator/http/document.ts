import { OpenAPIBackend, type Document } from 'openapi-backend';
import openapi from '../openapi.json' with { type: 'json' };
import { parseTimestamp } from '../store/timestamps.ts';

const EMAIL = /^[^\s@,]+@[^\s@,]+\.[^\s@,]+$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** The OpenAPI document of the service, its references not resolved. */
export const document = openapi as Document;

/** The document of the service, compiled: that takes as long as many requests. */
export const compiled = compileDocument(document);

/**
 * Compiles an OpenAPI document, to route and validate by it.
 * @param isChecked whether the document itself is validated, which takes a while; throws when it is not valid OpenAPI
 */
export async function compileDocument(definition: Document, isChecked = false): Promise<OpenAPIBackend> {
  const backend = new OpenAPIBackend({
    definition: structuredClone(definition),
    strict: true,
    validate: true,
    quick: !isChecked,
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
  });
  return await backend.init();
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone.length > 0;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
