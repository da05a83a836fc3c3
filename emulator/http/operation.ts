import type { ErrorObject } from 'ajv';
import type { FastifyInstance } from 'fastify';

import type { Workspace } from '../store/workspace.ts';
import { compiled } from './document.ts';
import type { Traffic } from './faults.ts';

/** What operations and pages work with. */
export interface Context {
  readonly workspace: Workspace;
  readonly quirks: Traffic['quirks'];
  /** The address under which the emulator is reached, without a path. */
  readonly url: string;
}

/** A request to an operation, valid by the document. Query parameters that are unknown are left out, the others have their defaults. */
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

/** Returns the body of the response; its status is the one of success in the document. */
export type Operation = (request: OperationRequest, context: Context) => unknown;

/** A refusal, with the status and the message of the response. */
export function refusal(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

/**
 * Adds a route for each operation of the OpenAPI document. A request that the document forbids is refused before the operation sees it.
 * @param operations by the `operationId` of the document
 * @param apiKey the only key that is accepted
 * @param isStrict whether what the document does not name is refused too, and responses must keep to it
 */
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
        const unknown = Object.keys(sent).filter((name) => !known.includes(name));
        if (body !== undefined && requestBody === undefined) unknown.push('a body');
        if (isStrict && unknown.length > 0) throw refusal(422, `The document does not name ${unknown.join()}`);
        const query = Object.fromEntries(Object.entries(sent).filter(([name]) => known.includes(name)));
        const header = { 'x-api-key': apiKey, accept: headers.accept ?? '*/*' };
        // Turns the texts of the query into numbers, and adds the defaults.
        const values = { path: params, query, header, ...(body !== undefined && { requestBody: body }) };
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

/** The documented message (`x-error`) for a violated rule, or else ajv's. */
function messageOf({ instancePath, parentSchema, params, message = '' }: ErrorObject): string {
  if (typeof params['additionalProperty'] === 'string') return `Unknown field: ${params['additionalProperty']}`;
  const documented: unknown = parentSchema?.['x-error'];
  return typeof documented === 'string' ? documented : `${instancePath.split('/').slice(2).join('.')} ${message}`;
}

/**
 * The part of a list that one response holds, and what the response says about the whole list. Without a page number it is everything,
 * whatever the page size.
 */
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

/** A record of the store as the service sends it: names in snake case, times in ISO 8601. */
export function toWire(record: object): Record<string, unknown> {
  const fields = Object.entries(record).map(([name, value]: [string, unknown]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.endsWith('At') && typeof value === 'number' ? new Date(value).toISOString() : value,
  ]);
  return Object.fromEntries(fields) as Record<string, unknown>;
}
