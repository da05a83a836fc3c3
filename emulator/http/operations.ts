import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { OpenAPIBackend } from 'openapi-backend';
import { formOperations } from '../operations/forms.ts';
import { submissionOperations } from '../operations/submissions.ts';
import { teamMemberOperations } from '../operations/teamMembers.ts';
import { compiled } from './document.ts';
import { ServiceError, type Context, type Operation, type OperationRequest } from './operation.ts';
import type { Quirks } from './quirks.ts';

/** The operations, by the `operationId` of the document. */
const OPERATIONS: Record<string, Operation> = { ...formOperations, ...submissionOperations, ...teamMemberOperations };

/**
 * Adds a route for each operation of the OpenAPI document. A request that the document forbids is refused before the operation sees it.
 * @param apiKey the only key that is accepted
 */
export async function addOperations(app: FastifyInstance, context: Context, apiKey: string): Promise<void> {
  const backend = await compiled;
  for (const description of backend.getOperations()) {
    const { operationId = '', method, path, responses = {}, parameters = [] } = description;
    const operation = OPERATIONS[operationId];
    if (!operation) throw new Error(`The emulator does not implement ${operationId}`);
    const status = Number(Object.keys(responses).find((code) => code.startsWith('2')));
    const named = parameters.filter((parameter) => 'name' in parameter);
    const queryNames = named.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const needsAccept = named.some(({ name }) => name === 'Accept');

    app.route<{ Params: Record<string, string>; Querystring: Record<string, string> }>({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        if (request.headers['x-api-key'] !== apiKey)
          throw new ServiceError(401, 'Could not authenticate, invalid API Key');
        if (needsAccept && !acceptsJson(request)) throw new ServiceError(406, 'Accept header must be application/json');
        const query: Record<string, string> = {};
        for (const name of queryNames) {
          const value = request.query[name];
          if (value !== undefined && !isIgnored(name, context.quirks)) query[name] = value;
        }
        const operationRequest = { params: request.params, query, body: request.body };
        validate(backend, operationId, operationRequest);
        return reply.code(status).send(operation(operationRequest, context));
      },
    });
  }
}

function isIgnored(parameter: string, quirks: Quirks): boolean {
  const ignored: Record<string, boolean> = {
    email: quirks.ignoreEmail,
    order: Boolean(quirks.ignoreOrder),
    page_size: quirks.ignorePageSize,
    status: quirks.ignoreStatus,
    submitted_after: quirks.ignoreSubmittedAfter,
  };
  return ignored[parameter] ?? false;
}

/** Whether a request names JSON among what it accepts; a wildcard does not name it. */
function acceptsJson({ headers }: FastifyRequest): boolean {
  const types = (headers.accept ?? '').split(',').map((type) => type.split(';')[0]?.trim().toLowerCase());
  return types.includes('application/json');
}

function validate(backend: OpenAPIBackend, operationId: string, { params, query, body }: OperationRequest): void {
  const values = {
    path: params,
    // Validation turns the texts of a query into numbers.
    query: { ...query },
    // Both were checked before, each with a status of its own.
    header: { 'x-api-key': 'valid', accept: 'application/json' },
    ...(body !== undefined && { requestBody: body }),
  };
  for (const validator of backend.validator.getRequestValidatorsForOperation(operationId)) {
    if (!validator(values)) throw new ServiceError(422, messageOf(validator.errors?.[0]));
  }
}

/** The documented message (`x-error`) for a violated rule, or else ajv's. */
function messageOf(error: ErrorObject | undefined): string {
  const { instancePath = '', parentSchema, params, message = 'is invalid' } = error ?? {};
  const unknownField: unknown = params?.['additionalProperty'];
  if (typeof unknownField === 'string') return `Unknown field: ${unknownField}`;
  const documented: unknown = parentSchema?.['x-error'];
  if (typeof documented === 'string') return documented;
  const [, , ...field] = instancePath.split('/');
  return `${field.join('.')} ${message}`.trim();
}

type ErrorObject = NonNullable<ReturnType<OpenAPIBackend['validator']['validateRequest']>['errors']>[number];
