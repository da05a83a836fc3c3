import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { RequestFailure } from './failure';

/** What a request was about. `id` is what the user gave; `parameter` is the label of the field to blame. */
export interface Subject {
  what?: 'form' | 'team member' | 'forms' | 'submissions' | 'team members';
  id?: string;
  parameter?: string;
}

interface Wording {
  message: string;
  description: string;
  httpCode?: string;
  /** Tells n8n's durable scheduler how to back off (n8n 2.37 and newer; ignored before). */
  failure?:
    | { cause: 'rate-limited' | 'temporarily-unavailable'; retryAfterMs?: number }
    | { cause: 'credential-invalid' | 'configuration-invalid' | 'node-defect' };
}

const CHECK_ADDRESS =
  "Check the credential's 'Subdomain': it is the first part of your workspace's address, acme for https://acme.neetoform.com. A 'Base URL' counts instead of it: check that, or leave it empty.";

/**
 * Throws the fault as n8n shows it: what happened, in the service's own words where it gave any, then what to change.
 * The thrown error holds nothing of the request, so neither does the execution's log.
 *
 * @param tries how often the request was sent
 * @throws NodeApiError always
 */
export function raise(node: INode, fault: RequestFailure, subject: Subject, tries = 1): never {
  throw toNodeApiError(node, fault, subject, tries);
}

/** The error that `raise` throws, for places that keep it. */
export function toNodeApiError(node: INode, fault: RequestFailure, subject: Subject, tries = 1): NodeApiError {
  const { message, description, httpCode, failure } = word(fault, subject);
  const counted = tries > 1 ? `${message} (after ${tries} attempts)` : message;
  const said: JsonObject = { message: counted, httpCode: httpCode ?? '' };
  return new NodeApiError(node, said, { message: counted, description, httpCode, failure });
}

/** Whether the node runs as a tool of an agent: n8n then gives its type a name of its own. */
export function isAgentTool({ type }: INode): boolean {
  return type.endsWith('Tool');
}

/** Whether an error goes away by itself: no answer, a rate limit, or trouble at the service. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof NodeApiError ? error.failure?.cause : undefined;
  return cause === 'temporarily-unavailable' || cause === 'rate-limited';
}

/** Pure: the words for a fault. */
export function word(fault: RequestFailure, subject: Subject): Wording {
  switch (fault.kind) {
    case 'status':
      return wordStatus(fault, subject);
    case 'redirect':
      return {
        message: `The service sent the request on to ${hostOf(fault.location)}, which was not followed`,
        description: `The API key is never sent to another address. ${CHECK_ADDRESS}`,
        httpCode: String(fault.status),
        failure: { cause: 'configuration-invalid' },
      };
    case 'unreadable':
      return wordUnreadable(fault);
    case 'no answer':
      return wordNoAnswer(fault);
    case 'not sent':
      return {
        message: fault.words,
        description: 'Nothing was sent. Mend the credential or the parameter that is named here.',
        failure: { cause: 'configuration-invalid' },
      };
    case 'cancelled':
      return { message: 'The execution was cancelled', description: 'No further request was sent.' };
  }
}

function wordStatus(
  { status, words, retryAfterMs }: Extract<RequestFailure, { kind: 'status' }>,
  subject: Subject,
): Wording {
  const httpCode = String(status);
  const said = (fallback: string) => words ?? fallback;
  if (status === 401) {
    return {
      message: said('The service refused the API key'),
      description:
        "Check the credential's 'API Key': it may be mistyped or expired, or belong to another workspace than the subdomain.",
      httpCode,
      failure: { cause: 'credential-invalid' },
    };
  }
  if (status === 403) {
    return {
      message: said('The service does not allow this operation'),
      description:
        "The API key is valid, but the organization role of its owner does not allow this. Use a key whose owner has the role, or have the role changed in the workspace's settings.",
      httpCode,
      failure: { cause: 'credential-invalid' },
    };
  }
  if (status === 404) {
    return { ...wordNotFound(words, subject), httpCode, failure: { cause: 'configuration-invalid' } };
  }
  if (status === 429) {
    return {
      message: said('The service is limiting the rate of requests'),
      description:
        "Too many requests in a short time. Run the workflow less often or on fewer items at once (this node's Options > Batching), or try again later.",
      httpCode,
      failure: { cause: 'rate-limited', retryAfterMs },
    };
  }
  if (status >= 500) {
    return {
      message: said(`The service answered with status ${httpCode}`),
      description: `The service could not process the request (status ${httpCode}). Nothing is wrong on your side: try again later.`,
      httpCode,
      failure: { cause: 'temporarily-unavailable', retryAfterMs },
    };
  }
  return {
    message: said(`The service refused the request with status ${httpCode}`),
    description: `The service refused a value (status ${httpCode}). Correct the field that is named here and run the node again.`,
    httpCode,
    failure: { cause: 'configuration-invalid' },
  };
}

function wordNotFound(
  words: string | undefined,
  { what, id, parameter }: Subject,
): Pick<Wording, 'message' | 'description'> {
  if (words === undefined) {
    return { message: 'The service does not know this address', description: CHECK_ADDRESS };
  }
  if (id === undefined) {
    const description =
      parameter === undefined
        ? CHECK_ADDRESS
        : `Check '${parameter}': something that is named there is not in this workspace.`;
    return { message: words, description };
  }
  const inactive = what === 'team member' ? ' Only active team members can be found.' : '';
  const label = parameter ?? what;
  return {
    // An AI agent is shown the message alone, and mends its call by it.
    message: `${words.replace(/\.$/, '')}: '${label}' is ${id}`,
    description: `No ${what} in this workspace has the ID '${id}'. Choose another in '${label}'.${inactive}`,
  };
}

function wordUnreadable({ reason, detail }: Extract<RequestFailure, { kind: 'unreadable' }>): Wording {
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
      description: 'The answer was cut off or garbled on its way. Try again later.',
      failure: { cause: 'temporarily-unavailable' },
    };
  }
  return {
    message: `The service answered in a shape this node does not know${detail === undefined ? '' : `: ${detail}`}`,
    description: 'The service may have changed. Update this package, or report what you asked for.',
    failure: { cause: 'node-defect' },
  };
}

function wordNoAnswer({ reason, code }: Extract<RequestFailure, { kind: 'no answer' }>): Wording {
  const description = {
    timeout: "Try again later, or allow more time in this node's Options > Timeout.",
    refused: "The server is offline, or the credential's 'Base URL' names a wrong port.",
    'unknown host': CHECK_ADDRESS,
    'connection lost': 'The connection broke off before the answer was complete. Try again later.',
  }[reason];
  const message = {
    timeout: 'The service did not answer in time',
    refused: 'The service refused the connection',
    'unknown host': 'There is no server at this address',
    'connection lost': 'The connection to the service was lost',
  }[reason];
  return {
    message,
    description: code === undefined ? description : `${description} (${code})`,
    failure: { cause: 'temporarily-unavailable' },
  };
}

function hostOf(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? new URL(location).host : 'another address';
}
