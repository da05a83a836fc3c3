import { jsonParse } from 'n8n-workflow';

import { compiled } from '../../emulator/http/document.ts';
import type { RequestRecord } from '../../emulator/index.ts';

/**
 * Checks requests and responses against the OpenAPI document. Requests must also keep to what the emulator only guesses: no unknown
 * query parameter, and at most 100 rows per page.
 * @returns what is wrong, one line each; empty when nothing is
 */
export async function validateExchanges(exchanges: RequestRecord[]): Promise<string[]> {
  const backend = await compiled;
  return exchanges.flatMap((exchange) => {
    const { method, path, query, body, status, responseBody = '' } = exchange;
    const headers = Object.fromEntries(Object.entries(exchange.headers).map(([name, value]) => [name, value ?? '']));
    const request = { method, path, query, headers, body };
    const operation = backend.matchOperation(request);
    if (!operation) return [`${method} ${path}: no such operation`];

    const problems: string[] = [];
    if (body !== undefined && operation.requestBody === undefined) problems.push('takes no body');
    if (Number(query['page_size'] ?? 0) > 100) problems.push('page_size is more than 100');
    const { errors } = backend.validator.validateRequest(request, operation);
    for (const error of errors ?? []) problems.push(`request${error.instancePath}: ${textOf(error)}`);

    const described = operation.responses?.[String(status)] ?? operation.responses?.[`${String(status)[0]}XX`];
    if (!described || '$ref' in described) problems.push(`status ${status} is not described`);
    else if (described.content) {
      // A text that is not JSON stays a text, which no response is.
      const parsed = jsonParse<unknown>(responseBody, { fallbackValue: responseBody });
      const response = backend.validator.validateResponse(parsed, operation, status);
      for (const error of response.errors ?? []) problems.push(`response${error.instancePath}: ${textOf(error)}`);
    } else if (status < 300 && responseBody) problems.push(`status ${status} has no body`);
    return problems.map((problem) => `${method} ${path}: ${problem}`);
  });
}

function textOf({ message, params }: { message?: string; params: unknown }): string {
  return `${message} ${JSON.stringify(params)}`;
}
