import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { withId } from '../api/endpoints';
import { toNodeError, type Subject } from '../api/messages';
import { keepMessage } from '../api/nodeErrors';
import type { Parse } from '../api/parse';
import { request } from '../api/request';
import type { Get } from '../api/service';
import type { DownloadRun } from '../downloads/get';
import { FieldReader } from '../parameters/reader';
import { isBlank, requirePositiveNumber } from '../parameters/values';
import { sentences } from '../text';
import { executionOf, type Execution } from './execution';

/** The longest that a timer of Node.js can wait: about 25 days. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The method and path of an operation. When it runs, n8n has added the workspace's address and the user's Settings > Request Options. */
export type Route = DeclarativeRestApiSettings.HttpRequestOptions;

/** A request with the method and path of the operation's route. */
export interface RouteRequest {
  /** What the request is about, for the words of an error. Its ID replaces the name in braces of the path: `/forms/{formId}`. */
  target?: Subject;
  body?: IDataObject;
}

/** What an operation has while it runs for one input item. It reads all its parameters before it sends anything. */
export interface Operation {
  context: IExecutePaginationFunctions;
  read: FieldReader;
  execution: Execution;
  /** What the downloads of files need. The user's options for files are added to it. */
  downloads: Omit<DownloadRun, 'maxBytes' | 'allowedHosts'>;
  /** Reads from the service: see `api/service.ts`. */
  get: Get;
  /** Sends the operation's own request. @throws NodeApiError when there is no usable response, or the execution is canceled */
  send: <T>(sent: RouteRequest, parse: Parse<T>) => Promise<T>;
}

/**
 * Makes the function that n8n's declarative engine calls for each input item. It is the hook `pagination`, even where nothing is paged, because no
 * other hook may send several requests and return its own items. With Continue On Fail, an error becomes the only item.
 */
export function paginationHook(run: (operation: Operation) => Promise<INodeExecutionData[]>) {
  return async function (this: IExecutePaginationFunctions, { options }: DeclarativeRestApiSettings.ResultOptions) {
    const pairedItem = { item: this.getItemIndex() };
    try {
      const items = await run(startOperation(this, options));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (thrown) {
      const error = toEngineError(this.getNode(), thrown);
      if (!this.continueOnFail()) throw error;
      // The next node sees only the message, so the description is added to it.
      const text = sentences(`${error.message.replace(/\.$/, '')}.`, error.description ?? '');
      return [{ json: { error: text }, error, pairedItem }];
    }
  };
}

function startOperation(context: IExecutePaginationFunctions, route: Route): Operation {
  const execution = executionOf(context);
  const { baseURL: workspace = '', proxy, skipSslCertificateValidation } = route;
  // The route's setting may be another value than a boolean.
  const connection = { proxy, skipSslCertificateValidation: skipSslCertificateValidation === true };
  const timeoutMs = readTimeout(context);
  const sendWith = async <T>(
    options: IHttpRequestOptions,
    about: Subject,
    signal: AbortSignal | undefined,
    parse: Parse<T>,
  ) => {
    const subject = { ...about, isWrite: options.method !== 'GET', isOperation: true };
    const policy = { subject, limits: execution.limits, timeoutMs, signals: [signal] };
    // `options` always has `qs` and `body`, so that nothing of the route's query or body is sent.
    return await request(context, { ...route, ...connection, ...options }, policy, parse);
  };
  return {
    context,
    read: new FieldReader(context),
    execution,
    downloads: { ...execution.downloads, sender: context, workspace, connection, clock: systemClock, timeoutMs },
    get: async ({ path, query: qs = {}, subject = {}, signal }, parse) =>
      await sendWith({ method: 'GET', url: path, qs, body: {} }, subject, signal, parse),
    send: async ({ target = {}, body = {} }, parse) => {
      const url = withId(route.url ?? '', target.id);
      return await sendWith({ method: route.method, url, qs: {}, body }, target, undefined, parse);
    },
  };
}

/** Reads Settings > Request Options > Timeout, in ms. It is not taken from the route, which has n8n's default of 300 s if the user set none. */
function readTimeout(context: IExecutePaginationFunctions): number | undefined {
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  if (timeout === 0 || isBlank(timeout)) return undefined;
  return Math.min(requirePositiveNumber({ displayName: 'Timeout' }, timeout), MAX_TIMEOUT_MS);
}

/** n8n's engine shows only a NodeApiError as it is. It would turn another error into a failure of the service, with "Error code none". */
function toEngineError(node: INode, thrown: unknown): NodeApiError {
  const error = toNodeError(node, thrown);
  if (error instanceof NodeApiError) return error;
  const { message, description } = error;
  return keepMessage(new NodeApiError(node, {}, { message, description: description ?? undefined }), message);
}
