import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { duration, sentences } from '../text';
import { mayHaveTakenEffect, type NoResponseReason, type Refusal, type RequestFailure } from './failure';
import { isAgentTool, isTransientCause, keepMessage, operationError, type NodeError } from './nodeErrors';
import { UnexpectedResponse } from './parse';
import { parseUrl } from './workspaceUrl';

/** Why a request failed. n8n's scheduler decides by it when to poll again, or to stop the workflow. n8n before 2.37 ignores the cause. */
type Cause =
  'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid' | 'node-defect';

/** What a request is about, as far as the text for its failure needs it. */
export interface Subject {
  what?: 'form' | 'team member';
  /** The ID or title that the user gave. */
  id?: string;
  /** The label of the field in which the user gave the ID or the email addresses of team members. */
  parameter?: string;
  /** A sentence for a 404: the nearest titles, for example. */
  hint?: string;
  isWrite?: boolean;
  /** Whether an operation of the action node sends the request. Only that node has the panel Request Options. */
  isOperation?: boolean;
}

/** What to do about a response that is not as documented. */
export const REPORT = 'The service may have changed. Update this package, or report what you requested.';

const CHECK_ADDRESS =
  "Check the credential's 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. If 'Base URL' is set, it is used instead: check it, or leave it empty.";
const CHECK_KEY =
  "Check the credential's 'API Key': it may be mistyped or expired, or belong to another workspace than the subdomain.";
const CHECK_ROLE =
  "The API key is valid, but the organization role of its owner does not allow this. Use a key whose owner has the role, or have the role changed in the workspace's settings.";
const LOOK_FIRST = 'The service may have received the request and done it: look before you run this again.';

/** What to do about failures that the service's own words explain, whatever the status is. */
const EXPLAINED: Array<[words: RegExp, advice: string]> = [
  [/last admin/i, 'A workspace needs an admin. Make another team member an admin first, then run this again.'],
  [
    /organization[ _]role\b.*(?:not (?:found|exist|valid|a)\b|invalid|unknown)/i,
    "The workspace has no such role. Every workspace has Admin and Standard. Choose one of these or of its own from the list of 'Organization Role', or enter one in exactly its spelling.",
  ],
  [
    /time[ _]?zone\b.*(?:\bnot\b|invalid|unknown)|(?:invalid|unknown) time[ _]?zone/i,
    "Choose one from the list of 'Time Zone', or enter its name, such as Europe/Berlin.",
  ],
];

/** What happened when no response came, and perhaps why. `server` is a name such as 'file server'. */
export const NO_RESPONSE: Record<NoResponseReason, [what: (server: string) => string, why: string]> = {
  timeout: [(server) => `The ${server} did not answer in time`, ''],
  'connection refused': [
    (server) => `The ${server} refused the connection`,
    'The server, or a proxy before it, may be offline, or its port wrong.',
  ],
  'unknown host': [() => 'There is no server at this address', ''],
  'no route': [(server) => `The ${server} cannot be reached`, "Check n8n's network and proxy."],
  'connection lost': [(server) => `The connection to the ${server} was lost`, 'It broke off before the end.'],
};

/** What this node says of a failure, apart from the service's own words. */
interface Explanation {
  message: string;
  advice: string;
  /** Advice about a setting of the action node. The trigger's errors leave it out. */
  setting?: string;
  cause?: Cause;
}

const STATUSES: Record<number, Explanation> = {
  401: { message: 'The service refused the API key', advice: CHECK_KEY, cause: 'credential-invalid' },
  403: { message: 'The service does not allow this operation', advice: CHECK_ROLE, cause: 'credential-invalid' },
  429: {
    message: 'The service is limiting the rate of requests',
    advice: 'Too many requests in a short time.',
    setting: 'Run the workflow on fewer items at once (Settings > Request Options > Batching).',
    cause: 'rate-limited',
  },
};

const UNREADABLE: Record<Extract<RequestFailure, { kind: 'unreadable' }>['reason'], Explanation> = {
  'web page': {
    message: 'The service answered with a web page instead of data',
    advice: `There is probably no NeetoForm workspace at this address. ${CHECK_ADDRESS}`,
    cause: 'configuration-invalid',
  },
  'broken JSON': {
    message: 'The service sent broken JSON',
    advice: 'The response was cut off on its way.',
    cause: 'temporarily-unavailable',
  },
  'unexpected shape': {
    message: 'The service answered in a shape this node does not know',
    advice: REPORT,
    cause: 'node-defect',
  },
};

/** Makes the error that n8n shows and logs. The request is not part of the error, because it holds the API key. */
export function toNodeApiError(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): NodeApiError {
  const text = describeFailure(failure, subject, isAgentTool(node));
  const message = attempts > 1 ? `${text.message} (after ${attempts} attempts)` : text.message;
  const response: JsonObject = { message, httpCode: text.httpCode ?? '' };
  const error = keepMessage(new NodeApiError(node, response, { ...text, message }), message);
  // `causeOf` and `unlessHidden` read these.
  error.context.cause = text.failure?.cause;
  error.context.hasServiceWords = failure.kind === 'status' && failure.message !== undefined;
  return error;
}

/** Makes a node's error of whatever was thrown. It keeps the message, but puts that of an `UnexpectedResponse` behind an explanation. */
export function toNodeError(node: INode, thrown: unknown): NodeError {
  if (thrown instanceof NodeApiError || thrown instanceof NodeOperationError) return thrown;
  if (thrown instanceof UnexpectedResponse)
    return toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail: thrown.message }, {});
  return operationError(node, thrown instanceof Error ? thrown : String(thrown));
}

/** Puts a failure into words for the user, and into a cause for n8n: the message says what happened, the description what to change. */
export function describeFailure(failure: RequestFailure, subject: Subject, isForAgent = false) {
  const explanation = explain(failure, subject);
  const { cause } = explanation;
  const { status, retryAfterMs } = refusalIn(failure);
  const message = messageOf(failure, explanation.message, subject);
  const hint = status === 404 ? (subject.hint ?? '') : '';
  return {
    // Older versions of n8n show an AI agent only the message.
    message: isForAgent && hint !== '' ? `${message}. ${hint}` : message,
    description: descriptionOf(failure, explanation, subject, isForAgent ? '' : hint),
    httpCode: status?.toString(),
    // n8n's scheduler reads this. The name is n8n's.
    failure: cause && { cause, retryAfterMs: isTransientCause(cause) ? retryAfterMs : undefined },
  };
}

/** What happened. The service's own words replace ours. In an operation, which may run for many IDs, a 404 also names the ID. */
function messageOf(failure: RequestFailure, ours: string, { id, isOperation = false }: Subject): string {
  const { status, message: words = '' } = refusalIn(failure);
  const isNamed = status === 404 && isOperation && words !== '' && id !== undefined;
  return isNamed ? `${words.replace(/\.$/, '')}: ${id}` : words || ours;
}

/** What to change, whether to try again, and the code of the failure. A refusal that `EXPLAINED` knows gets only the advice from there. */
function descriptionOf(failure: RequestFailure, explanation: Explanation, subject: Subject, hint: string): string {
  const { advice, setting = '', cause } = explanation;
  const { isOperation = false, isWrite = false } = subject;
  const { message: words = '' } = refusalIn(failure);
  const explained = EXPLAINED.find(([pattern]) => pattern.test(words))?.[1];
  if (explained !== undefined) return explained;
  return sentences(
    advice,
    isOperation ? setting : '',
    isWrite && mayHaveTakenEffect(failure) ? LOOK_FIRST : adviceOnTryingAgain(failure, cause),
    'code' in failure && failure.code !== undefined ? `(${failure.code})` : '',
    hint,
  );
}

function adviceOnTryingAgain(failure: RequestFailure, cause: Cause | undefined): string {
  // An untrusted certificate has a transient `cause`, but waiting rarely helps against it.
  if (failure.kind === 'untrusted' || !isTransientCause(cause)) return '';
  const { retryAfterMs } = refusalIn(failure);
  return `Try again ${retryAfterMs ? `in ${duration(retryAfterMs)}` : 'later'}.`;
}

/** Returns a refusal as it is, and `{}` for any other failure, so that status, words and time to wait are undefined. */
function refusalIn(failure: RequestFailure): Partial<Refusal> {
  return failure.kind === 'status' ? failure : {};
}

function explain(failure: RequestFailure, subject: Subject): Explanation {
  switch (failure.kind) {
    case 'status':
      return STATUSES[failure.status] ?? explainStatus(failure, subject);
    case 'unreadable': {
      const known = UNREADABLE[failure.reason];
      return failure.detail === undefined ? known : { ...known, message: `${known.message}: ${failure.detail}` };
    }
    case 'no response': {
      const [what, why] = NO_RESPONSE[failure.reason];
      const isAddressSuspect = failure.reason === 'connection refused' || failure.reason === 'unknown host';
      return {
        message: what('service'),
        advice: sentences(why, isAddressSuspect ? CHECK_ADDRESS : ''),
        setting: failure.reason === 'timeout' ? 'You can allow more time in Settings > Request Options > Timeout.' : '',
        cause: 'temporarily-unavailable',
      };
    }
    case 'untrusted':
      return {
        message: 'The certificate of the server is not trusted',
        advice: `${CHECK_ADDRESS} For a server with a certificate of its own, have n8n trust its authority.`,
        setting: 'Or, unless it is on neetoform.com, turn on Settings > Request Options > Ignore SSL Issues.',
        // A proxy may be taken away, and an expired certificate renewed. With a `cause` that is not transient, n8n would stop the workflow.
        cause: 'temporarily-unavailable',
      };
    case 'not sent':
      return {
        message: failure.message,
        advice: 'Nothing was sent. Check the credential.',
        cause: 'configuration-invalid',
      };
    case 'canceled':
      return { message: 'The execution was canceled', advice: 'No further request was sent.' };
  }
}

function explainStatus({ status, message: words = '', location = '' }: Refusal, subject: Subject): Explanation {
  if (status >= 500) {
    return {
      message: `The service answered with status ${status}`,
      advice: `The service could not process the request (status ${status}). Nothing is wrong on your side.`,
      cause: 'temporarily-unavailable',
    };
  }
  const cause = 'configuration-invalid';
  if (status >= 300 && status < 400) {
    const host = parseUrl(location)?.host ?? 'another address';
    const message = `The service redirected the request to ${host}, which was not followed`;
    // Words of the service replace this message, so the description repeats it.
    const repeated = words === '' ? '' : `${message}.`;
    const advice = sentences(repeated, 'The API key is never sent to another address.', CHECK_ADDRESS);
    return { message, advice, cause };
  }
  if (status === 404)
    return { message: 'The service does not know this address', advice: adviceOnNotFound(words, subject), cause };
  const advice = `The service refused the request (status ${status}). Correct what it names, or report what it says.`;
  return { message: `The service refused the request with status ${status}`, advice, cause };
}

/** What to change after a 404. NeetoForm's own 404 has words. A 404 without words comes from another server. */
function adviceOnNotFound(words: string, { what, id, parameter, isOperation }: Subject): string {
  if (words === '' || (id === undefined && parameter === undefined)) return CHECK_ADDRESS;
  // Only the requests that change team members by their email addresses have a parameter and no ID.
  if (id === undefined) return `At least one address in '${parameter}' is not an active team member.`;
  const named = what === 'form' && isOperation ? 'ID or title' : 'ID';
  return sentences(
    `The request was about the ${what} with the ${named} '${id}'.`,
    `If this workspace has none, choose another in '${parameter ?? what}'.`,
    what === 'team member' ? 'Only active team members can be found.' : '',
  );
}
