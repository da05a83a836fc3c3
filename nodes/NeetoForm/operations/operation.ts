import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Subject } from '../api/messages';
import { request, type ApiResponse, type RequestPolicy } from '../api/request';
import { sentences } from '../api/sentences';
import type { DownloadRun } from '../downloads/get';
import { isRecord, textOf } from '../json';
import { FieldReader } from '../parameters/reader';
import { requirePositiveNumber } from '../parameters/values';
import { executionOf, forgetForms, type Execution } from './execution';

/** What n8n's declarative engine calls with the request that a route describes. */
export type PaginationHook = (
  this: IExecutePaginationFunctions,
  assembled: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** The form or team member that a request is about. */
export interface Target extends Subject {
  id: string;
  /** The address by which a team member was given. */
  email?: string;
}

/** What an operation sends beside what its route says. */
export interface ServiceRequest {
  /** Its ID stands for the name in braces of the path: `/forms/{formId}`. */
  target?: Target;
  /** What an error of a request without a target names. */
  about?: Subject;
  /** Another path than the route's. */
  path?: string;
  query?: IDataObject;
  body?: IDataObject;
}

/** Reads a response; throws UnexpectedResponse when it is not as documented. */
export type Parse<T> = (response: ApiResponse) => T;

/** An operation that runs for one input item. It reads all parameters before it sends anything. */
export interface Operation {
  context: IExecutePaginationFunctions;
  /** Reads the parameters of this input item. */
  read: FieldReader;
  execution: Execution;
  /** Where the workspace is, and how the user wants n8n to connect. */
  connection: Pick<DownloadRun, 'workspace' | 'connection' | 'timeoutMs'>;
  /** Sends the route's request. */
  send: <T>(sent: ServiceRequest, parse: Parse<T>, signal?: AbortSignal) => Promise<T>;
  /** Reads something else. @param retryLimitMs as in RequestPolicy */
  get: <T>(path: string, query: IDataObject, parse: Parse<T>, retryLimitMs?: number) => Promise<T>;
}

/**
 * Makes an operation: the only way from the action node to the service. Requests are sent under the execution's limiter, every item is
 * linked to its input item, and under Continue On Fail a failure is that input's only item.
 *
 * Operations run in n8n's `pagination` hook because it is the only one that may send as many requests as it needs, retry them and
 * return items, or an error item, of its own: `preSend` runs once per item and `postReceive` never after a failure.
 *
 * @param run sends requests and returns the items, which are linked here
 */
export function defineOperation(run: (operation: Operation) => Promise<INodeExecutionData[]>): PaginationHook {
  return async function ({ options }) {
    const pairedItem = { item: this.getItemIndex() };
    try {
      const items = await run(startOperation(this, options));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (thrown) {
      const error = nodeErrorOf(this, thrown);
      if (!this.continueOnFail()) {
        forgetForms(this);
        throw error;
      }
      // The next node sees nothing else of the error.
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
  const connection = connectionOf(context, route);
  const { url: path = '', method = 'GET' } = route;
  const sendRequest = async <T>(options: Partial<IHttpRequestOptions>, policy: RequestPolicy, parse: Parse<T>) =>
    await request(
      context,
      { ...(route as IHttpRequestOptions), ...options },
      { ...policy, limiter: execution.limiter, timeoutMs: connection.timeoutMs },
      parse,
    );
  return {
    context,
    read: new FieldReader(context),
    execution,
    connection,
    send: async ({ target, about = target, path: otherPath = path, query: qs = {}, body = {} }, parse, signal) => {
      const url = otherPath.replace(/\{\w+\}/, () => encodeURIComponent(target?.id ?? ''));
      const subject = { ...about, isWrite: method !== 'GET', isOperation: true };
      return await sendRequest({ url, qs, body }, { subject, signals: [signal] }, parse);
    },
    get: async (url, qs, parse, retryLimitMs) =>
      await sendRequest({ method: 'GET', url, qs, body: {} }, { retryLimitMs, subject: { isOperation: true } }, parse),
  };
}

function connectionOf(
  context: IExecutePaginationFunctions,
  { baseURL: workspace = '', proxy, skipSslCertificateValidation }: DeclarativeRestApiSettings.HttpRequestOptions,
): Operation['connection'] {
  // n8n sets 300 s when the user sets nothing, so the user's own choice has to be looked up.
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  const isSet = timeout !== 0 && timeout !== '';
  const timeoutMs = isSet ? requirePositiveNumber({ displayName: 'Timeout' }, timeout) : undefined;
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
