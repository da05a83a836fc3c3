import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestMethods,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { withId } from '../api/endpoints';
import { keepMessage, sentences } from '../api/errors';
import type { Subject } from '../api/messages';
import type { ApiResponse } from '../api/request';
import { isRecord, textOf } from '../json';
import { FieldReader } from '../parameters/reader';
import { requirePositiveNumber } from '../parameters/values';
import { executionOf, type Execution } from './execution';

/** ms: the longest that a timer of Node.js can wait, about 25 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The form or team member that a request is about. */
export interface Target extends Subject {
  id: string;
  /** The email address, when the user gave a team member by it. */
  email?: string;
}

/** What an operation sends. */
export interface ServiceRequest {
  /** Default: the method of the operation's route. */
  method?: IHttpRequestMethods;
  /** A path of `endpoints.ts`. Default: the path of the operation's route. */
  path?: string;
  /** The form or team member whose ID replaces the name in braces of the path: `/forms/{formId}`. */
  target?: Target;
  /** What an error says the request was about. Default: the target. */
  about?: Subject;
  query?: IDataObject;
  body?: IDataObject;
  /** Ends the request when it aborts. */
  signal?: AbortSignal;
}

/** What an operation works with while it runs for one input item. An operation reads all its parameters before it sends anything. */
export interface Operation {
  context: IExecutePaginationFunctions;
  read: FieldReader;
  execution: Execution;
  /** Where the workspace is, and what the user set in Settings > Request Options. */
  settings: ReturnType<typeof routeSettings>;
  /**
   * Sends a request to the service.
   *
   * @param parse makes the result of the response; throws UnexpectedResponse when the response is not as documented
   * @throws NodeApiError when there is no usable response in the end, or the execution is canceled
   */
  send: <T>(sent: ServiceRequest, parse: (response: ApiResponse) => T) => Promise<T>;
}

/**
 * Makes the function that n8n's declarative engine calls for each input item of an operation, with the request of the operation's route.
 * Every item that the function returns is linked to its input item. With Continue On Fail, a failure is returned as the input's only item.
 *
 * The function is the engine's hook `pagination`, even where nothing is paged, because no other hook may send any number of requests and
 * return items of its own: `preSend` runs once, before one request, and `postReceive` does not run after a failure.
 */
export function paginationHook(run: (operation: Operation) => Promise<INodeExecutionData[]>) {
  return async function (
    this: IExecutePaginationFunctions,
    { options }: DeclarativeRestApiSettings.ResultOptions,
  ): Promise<INodeExecutionData[]> {
    const pairedItem = { item: this.getItemIndex() };
    try {
      const items = await run(startOperation(this, options));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (thrown) {
      const error = nodeErrorOf(this, thrown);
      if (!this.continueOnFail()) throw error;
      // The next node sees only the message of the error, so the description is added to it.
      const text = sentences(`${error.message.replace(/\.$/, '')}.`, error.description ?? '');
      return [{ json: { error: text }, error, pairedItem }];
    }
  };
}

function startOperation(
  context: IExecutePaginationFunctions,
  route: DeclarativeRestApiSettings.HttpRequestOptions,
): Operation {
  const execution = executionOf(context);
  const { limiter } = execution;
  const settings = routeSettings(context, route);
  const { timeoutMs, connection } = settings;
  return {
    context,
    read: new FieldReader(context),
    execution,
    settings,
    send: async (sent, parse) => {
      const { method = route.method ?? 'GET', path = route.url ?? '', target, about = target, signal } = sent;
      const { query: qs = {}, body = {} } = sent;
      const url = withId(path, target?.id);
      const subject = { ...about, isWrite: method !== 'GET', isOperation: true };
      const policy = { subject, limiter, timeoutMs, signals: [signal] };
      // The module is loaded by the first request rather than at n8n's start, which is faster without it.
      const { request } = await import('../api/request');
      return await request(context, { ...route, ...connection, method, url, qs, body }, policy, parse);
    },
  };
}

/** Reads where the workspace is, and what the user set in Settings > Request Options: how to connect, and how long to wait (ms). */
function routeSettings(
  context: IExecutePaginationFunctions,
  { baseURL: workspace = '', proxy, skipSslCertificateValidation }: DeclarativeRestApiSettings.HttpRequestOptions,
) {
  // The route has a timeout of 300 s when the user sets none, so only the parameter tells whether the user chose one. It is 0 for none.
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  const isSet = timeout !== 0 && timeout !== '';
  const timeoutMs = isSet
    ? Math.min(requirePositiveNumber({ displayName: 'Timeout' }, timeout), MAX_TIMEOUT_MS)
    : undefined;
  const connection = { proxy, skipSslCertificateValidation: skipSslCertificateValidation === true };
  return { workspace, timeoutMs, connection };
}

/**
 * Makes a NodeApiError of any error, with its own message. n8n's engine shows a NodeApiError as it is. Of an error of another class, it would
 * make one that says that the service has failed, with "Error code none".
 */
function nodeErrorOf(context: IExecutePaginationFunctions, error: unknown): NodeApiError {
  if (error instanceof NodeApiError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const description = isRecord(error) ? textOf(error.description) : '';
  return keepMessage(new NodeApiError(context.getNode(), {}, { message, description }), message);
}
