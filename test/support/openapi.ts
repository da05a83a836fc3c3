import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OpenAPIBackend } from 'openapi-backend';
import type { Document, Request } from 'openapi-backend';
import type { RequestRecord } from '../../emulator/index.ts';

/** The part of a logged request that says what was asked and what was answered. */
export type Exchange = Pick<
  RequestRecord,
  'method' | 'path' | 'query' | 'headers' | 'body' | 'status' | 'responseBody'
>;

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

let description: Promise<OpenAPIBackend> | undefined;

/** The OpenAPI document of the service, as it is written. */
export function readDescription(): Document {
  return JSON.parse(readFileSync(join(__dirname, '../../emulator/openapi.json'), 'utf8')) as Document;
}

/**
 * Loads a description to check exchanges against; fails when it is not valid OpenAPI.
 * @param document the description, its references not resolved
 */
export async function loadDescription(document: Document): Promise<OpenAPIBackend> {
  const backend = new OpenAPIBackend({
    definition: document,
    strict: true,
    validate: true,
    quick: false,
    customizeAjv: (ajv) => {
      ajv.addFormat('date-time', DATE_TIME);
      ajv.addFormat('email', EMAIL);
      ajv.addFormat('uri', (text) => URL.canParse(text));
      return ajv;
    },
  });
  await backend.init();
  return backend;
}

/**
 * Checks a request and its answer against the description of the service.
 * @returns what is wrong, one line each; empty when nothing is
 */
export async function validateExchange(exchange: Exchange): Promise<string[]> {
  description ??= loadDescription(readDescription());
  const backend = await description;
  const request: Request = {
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    headers: presentHeaders(exchange),
    body: exchange.body,
  };
  const operation = backend.matchOperation(request);
  if (!operation) return [`${exchange.method} ${exchange.path}: no such operation`];

  const problems: string[] = [];
  if (exchange.body !== undefined && operation.requestBody === undefined) problems.push('takes no body');
  const asked = backend.validator.validateRequest(request, operation);
  problems.push(
    ...(asked.errors ?? []).map(
      (error) => `request${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`,
    ),
  );
  problems.push(...answerProblems(backend, operation, exchange));
  return problems.map((problem) => `${exchange.method} ${exchange.path}: ${problem}`);
}

/** Checks many requests; what is wrong with any of them, one line each. */
export async function validateExchanges(exchanges: Exchange[]): Promise<string[]> {
  return (await Promise.all(exchanges.map(validateExchange))).flat();
}

function presentHeaders({ headers }: Exchange): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

type Operation = NonNullable<ReturnType<OpenAPIBackend['matchOperation']>>;

function answerProblems(backend: OpenAPIBackend, operation: Operation, { status, responseBody }: Exchange): string[] {
  if (status === 0) return ['there was no answer'];
  const responses = operation.responses ?? {};
  const described = responses[String(status)] ?? responses[`${String(status)[0]}XX`];
  if (!described) return [`status ${status} is not described`];
  if ('$ref' in described || !described.content) {
    return status < 300 && responseBody ? [`status ${status} has no body`] : [];
  }
  const body = parseJson(responseBody);
  if (body === undefined) return ['the answer is not JSON'];
  const answered = backend.validator.validateResponse(body, operation, status);
  return (answered.errors ?? []).map(
    (error) => `answer${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`,
  );
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
