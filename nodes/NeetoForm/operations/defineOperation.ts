import type {
  DeclarativeRestApiSettings,
  IExecutePaginationFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Subject } from '../api/messages';
import { request, type RequestPolicy } from '../api/request';
import { FieldReader } from '../parameters/reader';
import { isRecord, textOf } from '../json';
import { requireNumber } from '../parameters/values';
import { executionOf, forgetForms } from './execution';
import type { Get, Operation, Parse } from './operation';
import { findTarget } from './targets';

/** What n8n's declarative engine calls with the request that a route describes. */
export type PaginationHook = (
  this: IExecutePaginationFunctions,
  assembled: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/**
 * Makes an operation: the only way from the action node to the service. It finds the ID of the route, sends under the execution's
 * limiter, links every item to its input item, and under Continue On Fail returns a failure as that input's only item.
 *
 * Operations run in n8n's `pagination` hook because it is the only one that may send as many requests as it needs, retry them and
 * return items, or an error item, of its own: `preSend` runs once per item and `postReceive` never after a failure.
 *
 * @param run sends requests and returns the items, which are linked here
 * @param field label of the field to check when the service does not find what it names; the ID's own field by default
 */
export function defineOperation(
  run: (operation: Operation) => Promise<INodeExecutionData[]>,
  field?: string,
): PaginationHook {
  return async function ({ options }) {
    const pairedItem = { item: this.getItemIndex() };
    const subject = { parameter: field, isWrite: options.method !== 'GET' };
    try {
      const items = await run(await startOperation(this, options, subject));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (error) {
      const nodeError = nodeErrorOf(this, error);
      if (!this.continueOnFail()) {
        forgetForms(this);
        throw nodeError;
      }
      return [{ json: { error: nodeError.message }, error: nodeError, pairedItem }];
    }
  };
}

async function startOperation(
  context: IExecutePaginationFunctions,
  assembled: DeclarativeRestApiSettings.HttpRequestOptions,
  subject: Subject,
): Promise<Operation> {
  const execution = executionOf(context);
  const read = new FieldReader(context);
  const connection = connectionOf(context, assembled);
  const sendRequest = async <T>(
    options: Partial<IHttpRequestOptions>,
    policy: Omit<RequestPolicy, 'limiter'>,
    parse: Parse<T>,
  ) =>
    await request(
      context,
      { ...(assembled as IHttpRequestOptions), ...options },
      { ...policy, limiter: execution.limiter, timeoutMs: connection.timeoutMs },
      parse,
    );
  const get: Get = async (url, qs, parse, retryLimitMs) =>
    await sendRequest(
      { method: 'GET', url, qs, body: {} },
      { retryLimitMs, subject: { ...subject, isWrite: false, fields: [] } },
      parse,
    );
  const { target, path, about } = await findTarget(assembled.url ?? '', read, get, execution);
  return {
    read,
    context,
    execution,
    target,
    connection,
    send: async ({ path: url = path, query = {}, body = {}, added = {} }, parse, signal) =>
      await sendRequest(
        { url, qs: { ...query, ...added }, body },
        { subject: { ...subject, ...about, fields: namesIn({ ...query, ...body }) }, signals: [signal] },
        parse,
      ),
    get,
  };
}

/** The names of what has a value, those in an object in their midst included. */
function namesIn(values: Record<string, unknown>): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    if (isRecord(value)) return namesIn(value);
    return value === undefined ? [] : [name];
  });
}

function connectionOf(
  context: IExecutePaginationFunctions,
  { baseURL: workspace = '', proxy, skipSslCertificateValidation }: DeclarativeRestApiSettings.HttpRequestOptions,
): Operation['connection'] {
  // n8n sets 300 s when the user sets nothing, so the user's own choice has to be looked up.
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  const timeoutMs = timeout === 0 || timeout === '' ? undefined : requireNumber('Timeout', timeout, 0);
  const connection = { proxy, skipSslCertificateValidation: skipSslCertificateValidation === true };
  return { workspace, timeoutMs, connection };
}

/** n8n would show an error of another class as one of the service, with "Error code none". */
function nodeErrorOf(context: IExecutePaginationFunctions, error: unknown): NodeApiError {
  const { message = error, description } = isRecord(error) ? error : {};
  const texts = { message: String(message), description: textOf(description) };
  const nodeError = error instanceof NodeApiError ? error : new NodeApiError(context.getNode(), {}, texts);
  nodeError.context.itemIndex = context.getItemIndex();
  return nodeError;
}
