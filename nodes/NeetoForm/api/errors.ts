import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { NoResponseReason, RequestFailure } from './failure';

/** What a request was about. `id` is what the user gave; `parameter` is the label of the field to check. */
export interface Subject {
  what?: 'form' | 'team member' | 'forms' | 'submissions' | 'team members';
  id?: string;
  parameter?: string;
  /** Whether the request changes something, so that it must not be sent twice without looking. */
  isWrite?: boolean;
}

interface FailureText {
  message: string;
  description: string;
  httpCode?: string;
  /** Tells n8n's durable scheduler how to back off (n8n 2.37 and newer; ignored before). */
  failure?:
    | { cause: 'rate-limited' | 'temporarily-unavailable'; retryAfterMs?: number }
    | { cause: 'credential-invalid' | 'configuration-invalid' | 'node-defect' };
}

const CHECK_ADDRESS =
  "Check the credential's 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. If 'Base URL' is set, it is used instead: check it, or leave it empty.";

const TRY_AGAIN = 'Try again later.';
const LOOK_FIRST = 'The service may have received the request and done it: look before you run this again.';

/** The labels of the fields that the service's messages name. */
const LABELS: Record<string, string> = {
  created_by_email: 'Created By Email',
  email: 'Email',
  emails: 'Emails',
  first_name: 'First Name',
  invited_by: 'Invited By',
  last_name: 'Last Name',
  order: 'Order',
  organization_role: 'Organization Role',
  send_invitation_email: 'Send Invitation Email',
  status: 'Status',
  submitted_after: 'Submitted After',
  time_zone: 'Time Zone',
  title: 'Title',
};

/**
 * Throws a failure as n8n shows it: what happened, in the service's own message if it gave one, then what to change.
 * The thrown error holds nothing of the request, so neither does the execution's log.
 *
 * @param attempts how often the request was sent
 * @throws NodeApiError always
 */
export function throwFailure(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): never {
  throw toNodeApiError(node, failure, subject, attempts);
}

/** The error that `throwFailure` throws, for places that keep it. */
export function toNodeApiError(node: INode, failure: RequestFailure, subject: Subject, attempts = 1): NodeApiError {
  const text = describeFailure(failure, subject, isAgentTool(node));
  const message = attempts > 1 ? `${text.message} (after ${attempts} attempts)` : text.message;
  const response: JsonObject = { message, httpCode: text.httpCode ?? '' };
  return new NodeApiError(node, response, { ...text, message });
}

/** Whether the node runs as a tool of an agent: n8n then gives its type a name of its own. */
export function isAgentTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether an error goes away by itself: no response, a rate limit, or trouble at the service. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}

/**
 * The text for a failure.
 *
 * @param isForAgent older versions of n8n show an agent the message alone, so the message itself names the ID
 */
export function describeFailure(failure: RequestFailure, subject: Subject, isForAgent = false): FailureText {
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
      return describeUnreadable(failure, subject);
    case 'no response':
      return {
        message: NO_RESPONSE[failure.reason].message,
        description: withCode(
          failure.unsent || subject.isWrite !== true
            ? NO_RESPONSE[failure.reason].description
            : `${LOOK_FIRST} ${NO_RESPONSE[failure.reason].hint ?? ''}`.trim(),
          failure.code,
        ),
        failure: { cause: 'temporarily-unavailable' },
      };
    case 'untrusted':
      return {
        message: 'The certificate of the server is not trusted',
        description: withCode(
          `${CHECK_ADDRESS} For a server with a certificate of its own, have n8n trust its authority, or turn on Settings > Request Options > Ignore SSL Issues.`,
          failure.code,
        ),
        // A proxy or an expired certificate may cause it, so it must not keep n8n from starting a workflow.
        failure: { cause: 'temporarily-unavailable' },
      };
    case 'not sent':
      return {
        message: failure.message,
        description: 'Nothing was sent. Check the credential or the parameter named above.',
        failure: { cause: 'configuration-invalid' },
      };
    case 'canceled':
      return { message: 'The execution was canceled', description: 'No further request was sent.' };
  }
}

function describeStatus(
  { status, message, retryAfterMs }: Extract<RequestFailure, { kind: 'status' }>,
  subject: Subject,
  isForAgent: boolean,
): FailureText {
  const httpCode = String(status);
  if (status === 401) {
    return {
      message: message ?? 'The service refused the API key',
      description:
        "Check the credential's 'API Key': it may be mistyped or expired, or belong to another workspace than the subdomain.",
      httpCode,
      failure: { cause: 'credential-invalid' },
    };
  }
  if (status === 403) {
    return {
      message: message ?? 'The service does not allow this operation',
      description:
        "The API key is valid, but the organization role of its owner does not allow this. Use a key whose owner has the role, or have the role changed in the workspace's settings.",
      httpCode,
      failure: { cause: 'credential-invalid' },
    };
  }
  if (status === 404) {
    return {
      ...describeNotFound(message, subject, isForAgent),
      httpCode,
      failure: { cause: 'configuration-invalid' },
    };
  }
  if (status === 429) {
    return {
      message: message ?? 'The service is limiting the rate of requests',
      description:
        'Too many requests in a short time. Run the workflow less often or on fewer items at once (Settings > Request Options > Batching), or try again later.',
      httpCode,
      failure: { cause: 'rate-limited', retryAfterMs },
    };
  }
  if (status >= 500) {
    return {
      message: message ?? `The service answered with status ${httpCode}`,
      description: `The service could not process the request (status ${httpCode}). Nothing is wrong on your side. ${subject.isWrite === true ? LOOK_FIRST : TRY_AGAIN}`,
      httpCode,
      failure: { cause: 'temporarily-unavailable', retryAfterMs },
    };
  }
  const labels = labelsIn(message ?? '');
  const field = labels.length === 0 ? 'the field named above' : labels.map((label) => `'${label}'`).join(' and ');
  return {
    message: message ?? `The service refused the request with status ${httpCode}`,
    description: `The service refused the value of a field (status ${httpCode}). Check ${field} and run the node again.`,
    httpCode,
    failure: { cause: 'configuration-invalid' },
  };
}

/** The labels of the fields that a message names, as `time_zone` or at its beginning as `Time zone`. */
function labelsIn(message: string): string[] {
  const named = Object.keys(LABELS).filter((name) => {
    const words = name.replaceAll('_', ' ');
    const atBeginning = new RegExp(`^(?:${words}|${name})\\b`, 'i').test(message);
    return atBeginning || (name.includes('_') && new RegExp(`\\b${name}\\b`).test(message));
  });
  return named.map((name) => LABELS[name] ?? name);
}

function describeNotFound(
  serviceMessage: string | undefined,
  { what, id, parameter }: Subject,
  isForAgent: boolean,
): Pick<FailureText, 'message' | 'description'> {
  if (serviceMessage === undefined) {
    return { message: 'The service does not know this address', description: CHECK_ADDRESS };
  }
  if (id === undefined) {
    const description =
      parameter === undefined ? CHECK_ADDRESS : `At least one address in '${parameter}' is not an active team member.`;
    return { message: serviceMessage, description };
  }
  const inactive = what === 'team member' ? ' Only active team members can be found.' : '';
  const message = what === 'form' ? 'Form not found' : 'Team member not found';
  return {
    message: isForAgent ? `${message}: ${id}` : message,
    description: `No ${what} in this workspace has the ID '${id}'. Choose another in '${parameter ?? what}'.${inactive}`,
  };
}

function describeUnreadable(
  { reason, detail }: Extract<RequestFailure, { kind: 'unreadable' }>,
  { isWrite }: Subject,
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
      description: `The response was cut off or garbled on its way. ${isWrite === true ? LOOK_FIRST : TRY_AGAIN}`,
      failure: { cause: 'temporarily-unavailable' },
    };
  }
  return {
    message: `The service answered in a shape this node does not know${detail === undefined ? '' : `: ${detail}`}`,
    description: `The service may have changed. Update this package, or report what you requested.${isWrite === true ? ` ${LOOK_FIRST}` : ''}`,
    failure: { cause: 'node-defect' },
  };
}

/** `hint` is what else helps where the request may have been received. */
const NO_RESPONSE: Record<NoResponseReason, { message: string; description: string; hint?: string }> = {
  timeout: {
    message: 'The service did not answer in time',
    description: 'Try again later, or allow more time in Settings > Request Options > Timeout.',
    hint: 'You can allow more time in Settings > Request Options > Timeout.',
  },
  refused: {
    message: 'The service refused the connection',
    description: "The server is offline, or the credential's 'Base URL' names a wrong port.",
  },
  'unknown host': { message: 'There is no server at this address', description: CHECK_ADDRESS },
  'no route': {
    message: 'The service cannot be reached',
    description: "There is no way to the server at the moment. Check n8n's network and proxy, and try again later.",
  },
  'expired certificate': {
    message: 'The certificate of the server is not valid at this time',
    description: 'It has expired, or the clock of this computer is wrong. Try again later.',
  },
  'connection lost': {
    message: 'The connection to the service was lost',
    description: 'The connection broke off before the response was complete. Try again later.',
  },
  garbled: {
    message: 'The response of the service could not be read',
    description: 'The response was garbled on its way. Try again later.',
  },
};

function withCode(description: string, code: string | undefined): string {
  return code === undefined ? description : `${description} (${code})`;
}

function hostOf(location = ''): string {
  return URL.canParse(location) ? new URL(location).host : 'another address';
}

/** Says what an answer lacks. */
export class UnexpectedResponse extends Error {}

/**
 * Runs code that parses responses, and tells the user when one is not as documented.
 *
 * @throws NodeApiError in place of an UnexpectedResponse; other errors pass
 */
export async function expectShape<T>(node: INode, subject: Subject, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw error instanceof UnexpectedResponse
      ? toNodeApiError(node, { kind: 'unreadable', reason: 'unexpected shape', detail: error.message }, subject)
      : error;
  }
}
