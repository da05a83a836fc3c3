import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import { expectShape, type Subject } from '../api/errors';
import { request, type ApiResponse } from '../api/request';
import { isRecord, textOf } from '../json';
import { filterValue, parameterValue, requireId, requireNumber } from '../parameters';
import { emailIn, findTeamMember } from './teamMembers';

/** One run of an operation, for one input item. */
export interface OperationRun {
  context: IExecutePaginationFunctions;
  /** The ID in the path of the route; '' when the route has none. */
  id: string;
  /** The request of the route, to be completed with checked values before it is sent. */
  path: string;
  query: IDataObject;
  body: IDataObject;
  /** For requests that go elsewhere than to the service's interface: files. */
  connection: Connection;
  /** The value of a parameter by its path, as an expression or an agent gave it. */
  parameter: (path: string, fallback?: unknown) => unknown;
  /** The value of a filter, undefined when it is not set; throws UserError when its expression gives nothing. */
  filter: (path: string, label: string) => unknown;
  /** Sends the request, with further query values if given. */
  send: (query?: IDataObject, signal?: AbortSignal) => Promise<ApiResponse>;
  /** Sends another request that reads. */
  get: (path: string, query?: IDataObject, signal?: AbortSignal) => Promise<ApiResponse>;
}

/** The user's settings for connections, and the limiter that all requests of an execution share. */
export interface Connection {
  /** The workspace's own address. */
  workspace: string;
  limiter: ConcurrencyLimiter;
  /** ms, if the user chose them. */
  timeoutMs?: number;
  connection: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
}

/** What n8n's declarative engine calls with the request that a route describes. */
export type PaginationHook = (
  this: IExecutePaginationFunctions,
  assembled: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** The parameters that hold an ID. A route names one in braces: `/forms/{formId}`. */
const ID_PARAMETERS: Record<string, { what: Subject['what']; label: string }> = {
  formId: { what: 'form', label: 'Form' },
  teamMemberId: { what: 'team member', label: 'Team Member' },
};

/** One limiter for all items of an execution, because n8n starts them all at once. */
const limiters = new WeakMap<object, ConcurrencyLimiter>();

/**
 * Makes an operation: the only way from the action node to the service. It reads the ID, sends under the execution's limiter, links
 * every item to its input item, and under Continue On Fail returns a failure as that input's only item.
 *
 * Operations run in n8n's `pagination` hook because it is the only one that may send as many requests as it needs, retry them and
 * return items, or an error item, of its own: `preSend` runs once per item and `postReceive` never after a failure.
 *
 * @param run sends requests and returns the items, which are linked here
 * @param parameter label of the field to check when the service does not find what it names; the ID's own field by default
 */
export function defineOperation(
  run: (operation: OperationRun) => Promise<INodeExecutionData[]>,
  parameter?: string,
): PaginationHook {
  return async function ({ options }) {
    const pairedItem = { item: this.getItemIndex() };
    try {
      const { operation, subject } = await startRun(this, options, parameter);
      const items = await expectShape(this.getNode(), subject, async () => await run(operation));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (error) {
      const nodeError = toNodeApiError(this, error);
      if (!this.continueOnFail()) throw nodeError;
      return [{ json: { error: nodeError.message }, error: nodeError, pairedItem }];
    }
  };
}

async function startRun(
  context: IExecutePaginationFunctions,
  assembled: DeclarativeRestApiSettings.HttpRequestOptions,
  parameter: string | undefined,
): Promise<{ operation: OperationRun; subject: Subject }> {
  const subject: Subject = { parameter, isWrite: assembled.method !== 'GET' };
  const limiter = limiterOf(context);
  const timeoutMs = userTimeout(context);
  const sendRequest = async (
    options: Partial<IHttpRequestOptions>,
    about: Partial<Subject> = {},
    signal?: AbortSignal,
  ) =>
    await request(
      context,
      { ...(assembled as IHttpRequestOptions), ...options },
      { subject: { ...subject, ...about }, limiter, timeoutMs, signals: [signal] },
    );
  const operation: OperationRun = {
    context,
    id: '',
    path: assembled.url ?? '',
    query: {},
    body: {},
    connection: {
      workspace: assembled.baseURL ?? '',
      limiter,
      timeoutMs,
      connection: {
        proxy: assembled.proxy,
        skipSslCertificateValidation: assembled.skipSslCertificateValidation === true,
      },
    },
    parameter: (name, fallback) => parameterValue(context, name, fallback),
    filter: (name, label) => filterValue(context, name, label),
    send: async (query = {}, signal?: AbortSignal) =>
      await sendRequest(
        { url: operation.path, qs: { ...operation.query, ...query }, body: { ...operation.body } },
        {},
        signal,
      ),
    get: async (url, qs = {}, signal?: AbortSignal) =>
      await sendRequest({ method: 'GET', url, qs, body: {} }, { isWrite: false }, signal),
  };
  await fillInId(operation, subject);
  return { operation, subject };
}

/** Puts the ID that the route asks for into its path, and says that the request is about it. */
async function fillInId(operation: OperationRun, subject: Subject): Promise<void> {
  const name = /\{(\w+)\}/.exec(operation.path)?.[1] ?? '';
  const known = ID_PARAMETERS[name];
  if (known === undefined) return;
  const { what, label } = known;
  subject.parameter = label;
  const value = operation.parameter(name);
  const email = what === 'team member' ? emailIn(label, value) : undefined;
  operation.id =
    email === undefined
      ? requireId(label, value, label.toLowerCase())
      : await findTeamMember(label, email, operation.get);
  operation.path = operation.path.replace(`{${name}}`, () => encodeURIComponent(operation.id));
  Object.assign(subject, { what, id: operation.id });
}

function limiterOf(context: IExecutePaginationFunctions): ConcurrencyLimiter {
  const execution = context.getExecuteData();
  const limiter = limiters.get(execution) ?? new ConcurrencyLimiter();
  limiters.set(execution, limiter);
  return limiter;
}

/** n8n sets 300 s when the user sets nothing, so the user's own choice has to be looked up. */
function userTimeout(context: IExecutePaginationFunctions): number | undefined {
  const timeout = parameterValue(context, 'requestOptions.timeout', 0);
  return timeout === 0 || timeout === '' ? undefined : requireNumber('Timeout', timeout, 0);
}

/** n8n would show an error of another class as one of the service, with "Error code none". */
function toNodeApiError(context: IExecutePaginationFunctions, error: unknown): NodeApiError {
  const itemIndex = context.getItemIndex();
  const nodeError =
    error instanceof NodeApiError
      ? error
      : new NodeApiError(
          context.getNode(),
          {},
          {
            message: error instanceof Error ? error.message : String(error),
            description: isRecord(error) ? textOf(error.description) : undefined,
          },
        );
  nodeError.context.itemIndex = itemIndex;
  return nodeError;
}
