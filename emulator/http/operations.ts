import type { FastifyInstance } from 'fastify';
import type { OpenAPIBackend } from 'openapi-backend';
import { formOperations } from '../operations/forms.ts';
import { submissionOperations } from '../operations/submissions.ts';
import { teamMemberOperations } from '../operations/teamMembers.ts';
import { compiled } from './document.ts';
import { ServiceError, type Context, type Operation, type OperationRequest } from './operation.ts';

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
    const known = parameters.flatMap((parameter) => ('name' in parameter ? parameter.name : []));

    app.route<{ Params: Record<string, string>; Querystring: Record<string, string> }>({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      handler: async (request, reply) => {
        if (request.headers['x-api-key'] !== apiKey)
          throw new ServiceError(401, 'Could not authenticate, invalid API Key');
        const { params, headers, body } = request;
        const query = Object.fromEntries(Object.entries(request.query).filter(([name]) => known.includes(name)));
        validate(backend, operationId, { params, query, body }, headers.accept);
        return reply.code(status).send(operation({ params, query, body }, context));
      },
    });
  }
}

function validate(
  backend: OpenAPIBackend,
  operationId: string,
  { params, query, body }: OperationRequest,
  accept = '*/*',
): void {
  const values = {
    path: params,
    // Validation turns the texts of a query into numbers.
    query: { ...query },
    // The key was checked before.
    header: { 'x-api-key': 'valid', accept },
    ...(body !== undefined && { requestBody: body }),
  };
  for (const validator of backend.validator.getRequestValidatorsForOperation(operationId)) {
    if (validator(values)) continue;
    const [error] = validator.errors ?? [];
    throw new ServiceError(error?.instancePath.startsWith('/header/') ? 406 : 422, messageOf(error));
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
