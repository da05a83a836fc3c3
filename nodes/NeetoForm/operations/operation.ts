import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestMethods,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { withId } from '../api/endpoints';
import type { Subject } from '../api/messages';
import type { ApiResponse } from '../api/request';
import { sentences } from '../api/sentences';
import { isRecord, textOf } from '../json';
import { FieldReader } from '../parameters/reader';
import { requirePositiveNumber } from '../parameters/values';
import { executionOf, forgetForms, type Execution } from './execution';

/** The form or team member that a request is about. */
export interface Target extends Subject {
  id: string;
  /** The address by which a team member was given. */
  email?: string;
}

/** What an operation sends. Default: the method and the path of its route. */
export interface ServiceRequest {
  method?: IHttpRequestMethods;
  path?: string;
  /** Its ID stands for the name in braces of the path: `/forms/{formId}`. */
  target?: Target;
  /** What an error of a request without a target names. */
  about?: Subject;
  query?: IDataObject;
  body?: IDataObject;
  /** Ends the request. */
  signal?: AbortSignal;
}

/** An operation that runs for one input item. It reads all parameters before it sends anything. */
export interface Operation {
  context: IExecutePaginationFunctions;
  /** Reads the parameters of this input item. */
  read: FieldReader;
  execution: Execution;
  /** Where the workspace is, and how the user wants n8n to connect. */
  connection: ReturnType<typeof connectionOf>;
  /** Sends a request to the service. @param parse throws UnexpectedResponse when the response is not as documented */
  send: <T>(sent: ServiceRequest, parse: (response: ApiResponse) => T) => Promise<T>;
}

/**
 * Makes of an operation what n8n's declarative engine calls with the request of its route. Every item is linked to its input item, and
 * under Continue On Fail a failure is that input's only item. The hook `pagination` is the only one that may send as many requests as it
 * needs and return items of its own: `preSend` runs once per item and `postReceive` never after a failure.
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
  const { limiter } = execution;
  const connection = connectionOf(context, route);
  const { timeoutMs } = connection;
  return {
    context,
    read: new FieldReader(context),
    execution,
    connection,
    send: async (sent, parse) => {
      const { method = route.method ?? 'GET', path = route.url ?? '', target, about = target, signal } = sent;
      const { query: qs = {}, body = {} } = sent;
      const url = withId(path, target?.id);
      const subject = { ...about, isWrite: method !== 'GET', isOperation: true };
      const policy = { subject, limiter, timeoutMs, signals: [signal] };
      // n8n starts sooner when what only requests need is loaded by the first one.
      const { request } = await import('../api/request');
      return await request(context, { ...route, ...connection.connection, method, url, qs, body }, policy, parse);
    },
  };
}

function connectionOf(
  context: IExecutePaginationFunctions,
  { baseURL: workspace = '', proxy, skipSslCertificateValidation }: DeclarativeRestApiSettings.HttpRequestOptions,
) {
  // n8n sets 300 s when the user sets nothing, so the user's own choice has to be looked up.
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  const isSet = timeout !== 0 && timeout !== '';
  const timeoutMs = isSet ? requirePositiveNumber({ displayName: 'Timeout' }, timeout) : undefined;
  const connection = { proxy, skipSslCertificateValidation: skipSslCertificateValidation === true };
  return { workspace, timeoutMs, connection };
}

/** n8n would show an error of another class as one of the service, with "Error code none". */
function nodeErrorOf(context: IExecutePaginationFunctions, error: unknown): NodeApiError {
  // n8n adds which input item it was.
  if (error instanceof NodeApiError) return error;
  const { message = error, description } = isRecord(error) ? error : {};
  const texts = { message: String(message), description: textOf(description) };
  return new NodeApiError(context.getNode(), {}, texts);
}
