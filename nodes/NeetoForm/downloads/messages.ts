import type { FileFailure } from '../api/failure';
import { duration, inBrackets, NO_RESPONSE, sentences } from '../api/messages';
import { MEGABYTE } from './settings';

const OPEN_ADDRESS = 'Open its address in a browser to see what is there.';
const BY_HAND = 'download the file from its address with an HTTP Request node.';

/** The text of `files_not_downloaded`. */
export function describeFileFailure(failure: FileFailure): string {
  switch (failure.kind) {
    case 'address':
      return `The file was not downloaded: ${failure.problem}.`;
    case 'too large':
      return `The file is larger than ${failure.maxBytes / MEGABYTE} MB. Raise 'Max File Size (MB)' to download it.`;
    case 'too many redirects':
      return `The file server redirects without end. ${OPEN_ADDRESS}`;
    case 'stalled':
      return `The server ${failure.host} sent nothing for ${duration(failure.silentMs)}. Try again later, or ${BY_HAND}`;
    case 'too slow':
      return `The file did not arrive within ${duration(failure.limitMs)}. Try again later, or allow more time in Settings > Request Options > Timeout.`;
    case 'poll ended':
      return `The time of one poll was too short for the file. Lower 'Max File Size (MB)', or ${BY_HAND}`;
    case 'not stored':
      return `n8n could not store the file: ${failure.message}`;
    case 'untrusted':
      return `The certificate of the file server is not trusted (${failure.code}).`;
    case 'not sent':
      return `n8n could not request the file: ${failure.message}`;
    case 'no response': {
      const [what, why] = NO_RESPONSE[failure.reason];
      return sentences(`${what('file server')}.`, why, 'Try again later.', inBrackets(failure.code));
    }
    case 'status':
      return describeFileStatus(failure.status);
    case 'unreadable':
      return `The server returned no file. ${OPEN_ADDRESS}`;
  }
}

function describeFileStatus(status: number): string {
  const code = `(status ${status})`;
  if (status === 404 || status === 410) return `The file no longer exists ${code}. It may have been deleted.`;
  if (status === 401 || status === 403)
    return `The file server denied access ${code}. The address may have expired: read the submission again.`;
  if (status === 429)
    return `The file server limits the rate of requests ${code}. Try again later, with fewer submissions at once.`;
  if (status >= 500) return `The file server could not answer ${code}. Try again later.`;
  return `The server returned no file ${code}. ${OPEN_ADDRESS}`;
}
