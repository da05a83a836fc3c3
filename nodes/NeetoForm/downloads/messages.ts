import type { NoResponseReason } from '../api/failure';
import type { FileFailure } from './download';
import { MEGABYTE } from './settings';
import { STALL_MS } from './stallWatch';

const LOOK = 'Open its address in a browser to see what is there.';

/** What happened to a file, then what to change: the text of `files_not_downloaded`. */
export function describeFileFailure(failure: FileFailure): string {
  switch (failure.kind) {
    case 'address':
      return `The file was not downloaded: ${failure.problem}.`;
    case 'too large':
      return `The file is larger than ${failure.maxBytes / MEGABYTE} MB. Raise 'Max File Size (MB)' to download it.`;
    case 'too many redirects':
      return `The server of the file redirects without end. ${LOOK}`;
    case 'stalled':
      return `The server ${failure.host} sent nothing for ${STALL_MS / 1000} seconds. Try again later, or download the file from its address with an HTTP Request node.`;
    case 'too slow':
      return `The file did not arrive within ${failure.limitMs / 1000} seconds. Try again later, or allow more time in Settings > Request Options > Timeout.`;
    case 'poll ended':
      return "The time of one poll was too short for the file. Lower 'Max File Size (MB)', or download the file from its address with an HTTP Request node.";
    case 'not stored':
      return `n8n could not store the file: ${failure.message}`;
    case 'untrusted':
      return `The certificate of the file server is not trusted (${failure.code}).`;
    case 'not sent':
      return `n8n could not request the file: ${failure.message}`;
    case 'no response':
      return `${NO_RESPONSE[failure.reason]}${failure.code === undefined ? '' : ` (${failure.code})`}`;
    case 'status':
      return describeStatus(failure.status);
    case 'redirect':
    case 'unreadable':
      return `The server returned no file. ${LOOK}`;
  }
}

const NO_RESPONSE: Record<NoResponseReason, string> = {
  timeout: 'The server of the file did not answer in time. Try again later.',
  refused: 'The server of the file refused the connection. Try again later.',
  'unknown host': "The host of the file's address does not exist.",
  'no route': 'The server of the file cannot be reached. Try again later.',
  'expired certificate': 'The certificate of the file server is not valid at this time. Try again later.',
  garbled: 'The response of the file server was garbled. Try again later.',
  'connection lost': 'The connection was lost before the file was complete. Try again later.',
};

function describeStatus(status: number): string {
  const code = `(status ${status})`;
  if (status === 404 || status === 410) return `The file no longer exists ${code}. It may have been deleted.`;
  if (status === 401 || status === 403)
    return `The file server denied access ${code}. The address may have expired: read the submission again.`;
  if (status === 429)
    return `The file server limits the rate of requests ${code}. Try again later, with fewer submissions at once.`;
  if (status >= 500) return `The file server could not answer ${code}. Try again later.`;
  return `The server returned no file ${code}. ${LOOK}`;
}
