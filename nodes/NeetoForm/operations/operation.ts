import type {
  DeclarativeRestApiSettings,
  IDataObject,
  IExecutePaginationFunctions,
  IHttpRequestOptions,
  INodeExecutionData,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Subject } from '../api/errors';
import { validateId } from '../api/id';
import { request, TIMEOUT_MS, type ApiResponse } from '../api/request';
import { expectShape } from '../api/shape';
import { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import { toText } from '../json';

export type Context = IExecutePaginationFunctions;

/** An operation's request for one input item, ready to be sent as often as it needs. */
export interface Call {
  context: Context;
  /** Query and body as the description's routes filled them; `prepare` steps may complete them. */
  query: IDataObject;
  body: IDataObject;
  /** Fetches what lies outside the service's interface, under the same limiter and with the user's own settings. */
  outside: Outside;
  /** Sends the request, with other query values if given, or to another path. */
  send: (change?: { query?: IDataObject; path?: string }) => Promise<ApiResponse>;
}

/** How requests go out that are not to the service's interface. */
export interface Outside {
  /** The workspace's own address. */
  workspace: string;
  limiter: ConcurrencyLimiter;
  /** ms, if the user set any. */
  timeoutMs?: number;
  /** What the user set for connections. */
  connection: Pick<IHttpRequestOptions, 'proxy' | 'skipSslCertificateValidation'>;
}

/** Completes a request from parameters that need checking or converting. Throws NodeOperationError on a bad value. */
export type Prepare = (call: Call) => void;

/** What an operation works on. `id` is the parameter that holds the ID, `parameter` the label of the field to blame. */
export interface About {
  what: Subject['what'];
  id?: string;
  parameter?: string;
}

/** What the declarative engine calls with a request that its routes have put together. */
export type Operation = (
  this: Context,
  assembled: DeclarativeRestApiSettings.ResultOptions,
) => Promise<INodeExecutionData[]>;

/** One limiter for all items of a node's run: n8n starts them all at once. */
const throttles = new WeakMap<object, ConcurrencyLimiter>();

/**
 * The one way from the action node to the service: checks the ID, sends under the execution's limiter, words errors, links
 * every item to its input item, and under Continue On Fail turns an error into that input's only item.
 *
 * @param about what the operation works on; its id and label go into messages
 * @param work sends through `call.send` and gives the items, which are linked here
 */
export function operation(about: About, work: (call: Call) => Promise<INodeExecutionData[]>): Operation {
  return async function (assembled) {
    const pairedItem = { item: this.getItemIndex() };
    try {
      const subject = subjectOf(this, about);
      const call = prepareCall(this, assembled.options, subject);
      const items = await expectShape(this.getNode(), subject, async () => await work(call));
      for (const item of items) item.pairedItem = pairedItem;
      return items;
    } catch (error) {
      const nodeError = toNodeError(this, error);
      if (!this.continueOnFail()) throw nodeError;
      return [{ json: { error: nodeError.message }, error: nodeError, pairedItem }];
    }
  };
}

function subjectOf(context: Context, { what, id: parameterOfId, parameter }: About): Subject {
  if (parameterOfId === undefined) return { what, parameter };
  const id: unknown = context.getNodeParameter(parameterOfId, '', { extractValue: true });
  const wrong = validateId(id);
  if (wrong === undefined) return { what, parameter, id: toText(id).trim() };
  throw new NodeOperationError(context.getNode(), `'${parameter ?? 'ID'}' ${wrong}`, {
    description: `Choose a ${what} from the list, or enter its ID as the service shows it.`,
  });
}

function prepareCall(
  context: Context,
  assembled: DeclarativeRestApiSettings.HttpRequestOptions,
  subject: Subject,
): Call {
  const limiter = throttleOf(context);
  const timeoutMs = userTimeout(context);
  const call: Call = {
    context,
    query: { ...assembled.qs },
    body: { ...(assembled.body as IDataObject) },
    outside: {
      workspace: assembled.baseURL ?? '',
      limiter,
      timeoutMs,
      connection: {
        proxy: assembled.proxy,
        skipSslCertificateValidation: assembled.skipSslCertificateValidation === true,
      },
    },
    send: async (change = {}) =>
      await request(
        context,
        {
          ...(assembled as IHttpRequestOptions),
          url: change.path ?? assembled.url ?? '',
          qs: change.path === undefined ? { ...call.query, ...change.query } : {},
          body: { ...call.body },
          timeout: timeoutMs ?? TIMEOUT_MS,
        },
        {
          subject,
          run: async (attempt) => await limiter.run(attempt),
          onFault: (fault) => limiter.noteFailure(fault),
        },
      ),
  };
  return call;
}

function throttleOf(context: Context): ConcurrencyLimiter {
  const run = context.getExecuteData();
  const limiter = throttles.get(run) ?? new ConcurrencyLimiter();
  throttles.set(run, limiter);
  return limiter;
}

/** n8n gives every request 300 s when the user sets nothing, so the user's own choice has to be looked up. */
function userTimeout(context: Context): number | undefined {
  const timeout = context.getNodeParameter('requestOptions.timeout', 0);
  return typeof timeout === 'number' && timeout > 0 ? timeout : undefined;
}

/** n8n shows only its own error classes well; anything else becomes one. */
function toNodeError(context: Context, error: unknown): NodeApiError | NodeOperationError {
  const itemIndex = context.getItemIndex();
  const nodeError =
    error instanceof NodeApiError || error instanceof NodeOperationError
      ? error
      : new NodeOperationError(context.getNode(), error instanceof Error ? error.message : String(error), {
          itemIndex,
        });
  nodeError.context.itemIndex = itemIndex;
  return nodeError;
}
