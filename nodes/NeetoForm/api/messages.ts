import { mayHaveArrived, type NoResponseReason, type RequestFailure } from './failure';
import { duration, sentences } from './sentences';

/** What tells n8n's durable scheduler how to back off (n8n 2.37 and newer; ignored before). */
type Cause =
  'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid' | 'node-defect';

/** What users read when a request failed: what happened, in the service's own words if it gave any, then what to change. */
interface FailureText {
  message: string;
  description: string;
  httpCode?: string;
  failure?: { cause: Cause; retryAfterMs?: number };
}

/** What a request was about. */
export interface Subject {
  what?: 'form' | 'team member' | 'forms' | 'submissions' | 'team members';
  /** What the user gave. */
  id?: string;
  /** Label of the field that holds it. */
  parameter?: string;
  /** What else to say when the service does not find it. */
  hint?: string;
  /** Whether the request changes something, so that it must not be sent twice without looking. */
  isWrite?: boolean;
  /** Whether an operation of the action node asks: only its panel has Request Options, and an item shows the message of its error alone. */
  isOperation?: boolean;
}

const CHECK_ADDRESS =
  "Check the credential's 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. If 'Base URL' is set, it is used instead: check it, or leave it empty.";
const CHECK_KEY =
  "Check the credential's 'API Key': it may be mistyped or expired, or belong to another workspace than the subdomain.";
const CHECK_ROLE =
  "The API key is valid, but the organization role of its owner does not allow this. Use a key whose owner has the role, or have the role changed in the workspace's settings.";
const LOOK_FIRST = 'The service may have received the request and done it: look before you run this again.';

/** What the service explains itself, whatever the status. */
const EXPLAINED: Array<[words: RegExp, advice: string]> = [
  [/last admin/i, 'A workspace needs an admin. Make another team member an admin first, then run this again.'],
  [
    /organization[ _]role\b.*(?:not (?:found|exist|valid|a)\b|invalid|unknown)/i,
    "The workspace has no such role. Every workspace has Admin and Standard; choose its own from the list of 'Organization Role', or enter one in exactly its spelling.",
  ],
  [
    /time[ _]?zone\b.*(?:\bnot\b|invalid|unknown)|(?:invalid|unknown) time[ _]?zone/i,
    "Choose one from the list of 'Time Zone', or enter its name, such as Europe/Berlin.",
  ],
];

/** Why there is no response, of the service and of file servers alike. */
export const NO_RESPONSE: Record<NoResponseReason, [what: (server: string) => string, why: string]> = {
  timeout: [(server) => `The ${server} did not answer in time`, ''],
  refused: [(server) => `The ${server} refused the connection`, 'The server may be offline, or the port wrong.'],
  'unknown host': [() => 'There is no server at this address', ''],
  'no route': [(server) => `The ${server} cannot be reached`, "Check n8n's network and proxy."],
  'connection lost': [(server) => `The connection to the ${server} was lost`, 'It broke off before the end.'],
};

/** What happened, and what to do about it. */
interface Explanation {
  message: string;
  advice: string;
  /** What can be set in the panel of the action node: the trigger has no Request Options. */
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
    advice: 'The service may have changed. Update this package, or report what you requested.',
    cause: 'node-defect',
  },
};

/** @param isForAgent older versions of n8n show an agent the message alone, so it says what else could be meant */
export function describeFailure(failure: RequestFailure, subject: Subject, isForAgent = false): FailureText {
  const { id, hint = '', isOperation = false } = subject;
  const { message: what, advice, setting = '', cause } = explain(failure, subject);
  const { status, message: words = '', retryAfterMs } = failure.kind === 'status' ? failure : {};
  const explained = EXPLAINED.find(([pattern]) => pattern.test(words))?.[1];
  const isTimed = cause === 'temporarily-unavailable' || cause === 'rate-limited';
  const again =
    isTimed && failure.kind !== 'untrusted'
      ? `Try again ${retryAfterMs ? `in ${duration(retryAfterMs)}` : 'later'}.`
      : '';
  const description = sentences(
    advice,
    isOperation ? setting : '',
    subject.isWrite && mayHaveArrived(failure) ? LOOK_FIRST : again,
    'code' in failure && failure.code !== undefined ? `(${failure.code})` : '',
    status === 404 && !isForAgent ? hint : '',
  );
  const isNamed = isOperation && status === 404 && words !== '' && id !== undefined;
  const message = isNamed ? `${words.replace(/\.$/, '')}: ${id}` : words || what;
  return {
    message: isForAgent && status === 404 ? [message, hint].filter(Boolean).join('. ') : message,
    description: explained ?? description,
    httpCode: status?.toString(),
    failure: cause && { cause, ...(isTimed && { retryAfterMs }) },
  };
}

function explain(failure: RequestFailure, subject: Subject): Explanation {
  switch (failure.kind) {
    case 'status':
      return STATUSES[failure.status] ?? explainStatus(failure, subject);
    case 'unreadable': {
      const { message, ...others } = UNREADABLE[failure.reason];
      return { message: failure.detail === undefined ? message : `${message}: ${failure.detail}`, ...others };
    }
    case 'no response': {
      const [what, why] = NO_RESPONSE[failure.reason];
      const isElsewhere = failure.reason === 'refused' || failure.reason === 'unknown host';
      return {
        message: what('service'),
        advice: sentences(why, isElsewhere ? CHECK_ADDRESS : ''),
        setting: failure.reason === 'timeout' ? 'You can allow more time in Settings > Request Options > Timeout.' : '',
        cause: 'temporarily-unavailable',
      };
    }
    case 'untrusted':
      return {
        message: 'The certificate of the server is not trusted',
        advice: `${CHECK_ADDRESS} For a server with a certificate of its own, have n8n trust its authority.`,
        setting: 'Or turn on Settings > Request Options > Ignore SSL Issues.',
        // A proxy or an expired certificate may cause it, so it must not keep n8n from starting a workflow.
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

function explainStatus(
  { status, message: words = '', location = '' }: Extract<RequestFailure, { kind: 'status' }>,
  subject: Subject,
): Explanation {
  if (status >= 500) {
    return {
      message: `The service answered with status ${status}`,
      advice: `The service could not process the request (status ${status}). Nothing is wrong on your side.`,
      cause: 'temporarily-unavailable',
    };
  }
  const cause = 'configuration-invalid';
  if (status >= 300 && status < 400) {
    const host = URL.canParse(location) ? new URL(location).host : 'another address';
    const message = `The service redirected the request to ${host}, which was not followed`;
    const said = words === '' ? '' : `${message}.`;
    return { message, advice: sentences(said, 'The API key is never sent to another address.', CHECK_ADDRESS), cause };
  }
  if (status === 404)
    return { message: 'The service does not know this address', advice: adviceOnNotFound(words, subject), cause };
  const advice = `The service refused the request (status ${status}). Correct what it names, or report what it says.`;
  return { message: `The service refused the request with status ${status}`, advice, cause };
}

function adviceOnNotFound(words: string, { what, id, parameter, isOperation }: Subject): string {
  if (words === '' || (id === undefined && parameter === undefined)) return CHECK_ADDRESS;
  if (id === undefined) return `At least one address in '${parameter}' is not an active team member.`;
  const named = what === 'form' && isOperation ? 'ID or title' : 'ID';
  return sentences(
    `The request was about the ${what} with the ${named} '${id}'.`,
    `If this workspace has none, choose another in '${parameter ?? what}'.`,
    what === 'team member' ? 'Only active team members can be found.' : '',
  );
}
