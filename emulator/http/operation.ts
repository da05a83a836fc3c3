import type { ErrorObject } from 'ajv';
import type { FastifyInstance } from 'fastify';

import type { Workspace } from '../store/workspace.ts';
import { compiled } from './document.ts';
import type { Traffic } from './faults.ts';

/** What operations and pages need besides the request. */
export interface Context {
  readonly workspace: Workspace;
  readonly quirks: Traffic['quirks'];
  /** The origin of the emulator. */
  readonly url: string;
}

/** A request that is valid by the document. Its query has the defaults of the document, and nothing unknown. */
export interface OperationRequest {
  params: Record<string, string>;
  query: {
    page?: number;
    page_number?: number;
    page_size?: number;
    order?: 'asc' | 'desc';
    status?: string;
    email?: string;
    submitted_after?: string;
  };
  body: unknown;
}

/** Returns the body of a response with the document's 2xx status, or throws a {@link refusal}. */
export type Operation = (request: OperationRequest, context: Context) => unknown;

/** The error to throw for a request that is refused. */
export function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

/** Adds a route for each `operationId` of the document. A request that the document forbids is refused before the operation sees it. */
export async function addOperations(
  app: FastifyInstance,
  operations: Record<string, Operation>,
  context: Context,
  apiKey: string,
  isStrict: boolean,
): Promise<void> {
  const backend = await compiled;
  for (const documented of backend.getOperations()) {
    const { operationId = '', method, path, responses = {}, parameters = [], requestBody } = documented;
    const operation = operations[operationId];
    if (!operation) throw new Error(`The emulator does not implement ${operationId}`);
    const status = Number(Object.keys(responses).find((code) => code.startsWith('2')));
    const validators = backend.validator.getRequestValidatorsForOperation(operationId);
    const known = parameters.flatMap((parameter) => ('name' in parameter ? parameter.name : []));

    app.route<{ Params: Record<string, string>; Querystring: Record<string, string> }>({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async ({ params, query: sent, headers, body }, reply) => {
        if (headers['x-api-key'] !== apiKey) throw refusal(401, 'Could not authenticate, invalid API Key');
        if (isStrict && body !== undefined && !requestBody) throw refusal(422, 'The document does not name a body');
        const query = Object.fromEntries(Object.entries(sent).filter(([name]) => isStrict || known.includes(name)));
        // The validators change `query`: texts become numbers, and defaults are added.
        const values = { path: params, query, header: { accept: '*/*', ...headers }, requestBody: body };
        const [error] = validators.flatMap((isValid) => (isValid(values) ? [] : (isValid.errors ?? [])));
        if (error) throw refusal(error.instancePath.startsWith('/header/') ? 406 : 422, messageOf(error));
        const answer = operation({ params, query, body }, context);
        const { errors } = isStrict ? backend.validator.validateResponse(answer ?? null, documented, status) : {};
        if (errors) throw refusal(422, `The document describes another response: ${JSON.stringify(errors)}`);
        return reply.code(status).send(answer);
      },
    });
  }
}

/** The message that the document gives a violated rule (`x-error`), or ajv's. */
function messageOf({ instancePath, parentSchema, params, message = '' }: ErrorObject): string {
  if (typeof params['additionalProperty'] === 'string') return `Unknown field: ${params['additionalProperty']}`;
  const documented: unknown = parentSchema?.['x-error'];
  return typeof documented === 'string' ? documented : `${instancePath.split('/').slice(2).join('.')} ${message}`;
}

/** One page of a list, from 1, and the totals of its response. Without a number, the page is the whole list, whatever the size. */
export function pageOf<T>(list: T[], number: number | undefined, size = Infinity, { quirks }: Context) {
  const pageSize = number === undefined ? list.length : Math.min(size, quirks.pageSizeCap);
  const offset = ((number ?? 1) - 1) * pageSize;
  const pagination = {
    total_records: list.length,
    total_pages: list.length === 0 ? 0 : Math.ceil(list.length / pageSize),
    current_page_number: number ?? 1,
    page_size: pageSize,
  };
  return { rows: list.slice(offset, offset + pageSize), totals: { pagination, total_count: list.length } };
}

/** Converts a record of the store to what the service sends: names in snake case, times in ISO 8601. */
export function toWire(record: object): Record<string, unknown> {
  const fields = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}
