import type { NoResponseReason, RequestFailure } from './api/failure';

/** What users read when a request failed: what happened, in the service's own words if it gave any, then what to change. */
export interface FailureText {
  message: string;
  description: string;
  httpCode?: string;
  /** Tells n8n's durable scheduler how to back off (n8n 2.37 and newer; ignored before). */
  failure?:
    | { cause: 'rate-limited' | 'temporarily-unavailable'; retryAfterMs?: number }
    | { cause: 'credential-invalid' | 'configuration-invalid' | 'node-defect' };
}

/** What a request was about. */
export interface Subject {
  what?: 'form' | 'team member' | 'forms' | 'submissions' | 'team members';
  /** What the user gave. */
  id?: string;
  /** Label of the field that holds it. */
  parameter?: string;
  /** Whether the request changes something, so that it must not be sent twice without looking. */
  isWrite?: boolean;
  /** The service's names of the values that the user's fields gave. Only the action node has such fields, and Request Options. */
  fields?: string[];
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
    /organization[ _]role\b.*(?:not|invalid|unknown)/i,
    "The workspace has no such role. Use one of its roles, in exactly the spelling of the workspace's settings.",
  ],
];

/** Why there is no response, of the service and of file servers alike. */
export const NO_RESPONSE: Record<NoResponseReason, [what: (server: string) => string, why: string]> = {
  timeout: [(server) => `The ${server} did not answer in time`, ''],
  refused: [(server) => `The ${server} refused the connection`, 'The server may be offline, or the port wrong.'],
  'unknown host': [() => 'There is no server at this address', ''],
  'no route': [(server) => `The ${server} cannot be reached`, "Check n8n's network and proxy."],
  'expired certificate': [
    () => 'The certificate of the server is not valid at this time',
    'It has expired, or the clock of this computer is wrong.',
  ],
  'connection lost': [(server) => `The connection to the ${server} was lost`, 'It broke off before the end.'],
  garbled: [(server) => `The response of the ${server} could not be read`, 'It was garbled on its way.'],
};

/** @param isForAgent older versions of n8n show an agent the message alone, so the message itself names the ID */
export function describeFailure(failure: RequestFailure, subject: Subject, isForAgent = false): FailureText {
  const { isWrite = false, fields } = subject;
  const later = isWrite ? LOOK_FIRST : 'Try again later.';
  switch (failure.kind) {
    case 'status':
      return describeStatus(failure, subject, isForAgent);
    case 'redirect':
      return {
        message: `The service redirected the request to ${hostOf(failure.location)}, which was not followed`,
        description: `The API key is never sent to another address. ${CHECK_ADDRESS}`,
        httpCode: String(failure.status),
        failure: { cause: 'configuration-invalid' },
      };
    case 'unreadable':
      return describeUnreadable(failure, later, isWrite);
    case 'no response': {
      const [what, why] = NO_RESPONSE[failure.reason];
      const address = failure.reason === 'refused' || failure.reason === 'unknown host' ? CHECK_ADDRESS : '';
      const options = 'You can allow more time in Settings > Request Options > Timeout.';
      const time = failure.reason === 'timeout' && fields ? options : '';
      return {
        message: what('service'),
        description: sentences(
          why,
          address,
          failure.unsent ? 'Try again later.' : later,
          time,
          inBrackets(failure.code),
        ),
        failure: { cause: 'temporarily-unavailable' },
      };
    }
    case 'untrusted':
      return {
        message: 'The certificate of the server is not trusted',
        description: sentences(
          CHECK_ADDRESS,
          'For a server with a certificate of its own, have n8n trust its authority.',
          fields ? 'Or turn on Settings > Request Options > Ignore SSL Issues.' : '',
          inBrackets(failure.code),
        ),
        // A proxy or an expired certificate may cause it, so it must not keep n8n from starting a workflow.
        failure: { cause: 'temporarily-unavailable' },
      };
    case 'not sent':
      return {
        message: failure.message,
        description: 'Nothing was sent. Check the credential.',
        failure: { cause: 'configuration-invalid' },
      };
    case 'canceled':
      return { message: 'The execution was canceled', description: 'No further request was sent.' };
  }
}

function describeStatus(
  { status, message: words = '', retryAfterMs }: Extract<RequestFailure, { kind: 'status' }>,
  subject: Subject,
  isForAgent: boolean,
): FailureText {
  const httpCode = String(status);
  const [, explained] = EXPLAINED.find(([pattern]) => pattern.test(words)) ?? [];
  const text = (message: string, advice: string, failure: FailureText['failure']): FailureText => ({
    message: words || message,
    description: explained ?? advice,
    httpCode,
    failure,
  });
  const again = retryAfterMs ? `Try again in ${duration(retryAfterMs)}.` : 'Try again later.';
  if (status === 401) return text('The service refused the API key', CHECK_KEY, { cause: 'credential-invalid' });
  if (status === 403)
    return text('The service does not allow this operation', CHECK_ROLE, { cause: 'credential-invalid' });
  if (status === 404) {
    const notFound = adviceOnNotFound(words, subject);
    const found = text('The service does not know this address', notFound, { cause: 'configuration-invalid' });
    if (isForAgent && words && subject.id !== undefined) found.message = `${words.replace(/\.$/, '')}: ${subject.id}`;
    return found;
  }
  if (status === 429) {
    const batching = 'Run the workflow on fewer items at once (Settings > Request Options > Batching).';
    const advice = sentences('Too many requests in a short time.', subject.fields ? batching : '', again);
    return text('The service is limiting the rate of requests', advice, { cause: 'rate-limited', retryAfterMs });
  }
  if (status >= 500) {
    const advice = `The service could not process the request (status ${httpCode}). Nothing is wrong on your side. ${subject.isWrite ? LOOK_FIRST : again}`;
    const failure = { cause: 'temporarily-unavailable', retryAfterMs } as const;
    return text(`The service answered with status ${httpCode}`, advice, failure);
  }
  const advice = sentences(`The service refused the request (status ${httpCode}).`, adviceOnFields(words, subject));
  return text(`The service refused the request with status ${httpCode}`, advice, { cause: 'configuration-invalid' });
}

/** `organization_role` stands for the field Organization Role, and so does `Organization role` in a sentence. */
function adviceOnFields(words: string, { fields }: Subject): string {
  if (fields === undefined) return 'If this stays, report what the service says.';
  const named = fields.filter((name) => new RegExp(`\\b${name.replaceAll('_', '[ _]')}\\b`, 'i').test(words));
  const labels = named.map(
    (name) => `'${name.replace(/(?:^|_)(\w)/g, (_, letter: string) => ` ${letter.toUpperCase()}`).trim()}'`,
  );
  return labels.length > 0 ? `Check ${labels.join(' and ')} and run the node again.` : 'Check what the node sends.';
}

function adviceOnNotFound(words: string, { what, id, parameter = what ?? '' }: Subject): string {
  if (id === undefined || words === '')
    return words && parameter ? `At least one address in '${parameter}' is not an active team member.` : CHECK_ADDRESS;
  const isAboutIt = what === 'form' ? /form/i : /member|user/i;
  if (!isAboutIt.test(words)) return `The request was about the ${what} with the ID '${id}', chosen in '${parameter}'.`;
  const inactive = what === 'team member' ? 'Only active team members can be found.' : '';
  return sentences(`No ${what} in this workspace has the ID '${id}'. Choose another in '${parameter}'.`, inactive);
}

function describeUnreadable(
  { reason, detail }: Extract<RequestFailure, { kind: 'unreadable' }>,
  later: string,
  isWrite: boolean,
): FailureText {
  if (reason === 'web page') {
    return {
      message: 'The service answered with a web page instead of data',
      description: `There is probably no NeetoForm workspace at this address. ${CHECK_ADDRESS}`,
      failure: { cause: 'configuration-invalid' },
    };
  }
  if (reason === 'broken JSON') {
    return {
      message: 'The service sent broken JSON',
      description: `The response was cut off or garbled on its way. ${later}`,
      failure: { cause: 'temporarily-unavailable' },
    };
  }
  return {
    message: `The service answered in a shape this node does not know${detail === undefined ? '' : `: ${detail}`}`,
    description: sentences(
      'The service may have changed. Update this package, or report what you requested.',
      isWrite ? LOOK_FIRST : '',
    ),
    failure: { cause: 'node-defect' },
  };
}

/** `10 minutes`, rounded up. */
export function duration(ms: number): string {
  const [count, unit] =
    ms <= 90_000
      ? [Math.ceil(ms / 1_000), 'second']
      : ms <= 90 * 60_000
        ? [Math.ceil(ms / 60_000), 'minute']
        : [Math.ceil(ms / 3_600_000), 'hour'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Joins sentences, of which some may be ''. */
export function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

/** `(ECONNRESET)`, or '' without a code. */
export function inBrackets(code: string | undefined): string {
  return code === undefined ? '' : `(${code})`;
}

function hostOf(location = ''): string {
  return URL.canParse(location) ? new URL(location).host : 'another address';
}
