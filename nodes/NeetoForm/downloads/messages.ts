import type { RequestFailure } from '../api/failure';
import { NO_RESPONSE } from '../api/messages';
import { MEGABYTE } from '../parameters/downloadSettings';
import { duration, sentences } from '../text';

const OPEN_ADDRESS = 'Open its address in a browser to see what is there.';
const BY_HAND = 'download the file from its address with an HTTP Request node.';

/** ms after which a server that sends nothing has stalled. */
export const STALL_MS = 10_000;

/** How many files of one submission are downloaded at most. */
export const MAX_FILES = 50;

/** The size limit of one submission's files together, as a multiple of Max File Size. */
export const MAX_SIZE_FACTOR = 10;

export type FileFailure =
  | Exclude<RequestFailure, { kind: 'canceled' }>
  /** The problem is what `validateFileAddress` returned. */
  | { kind: 'address'; problem: string }
  | { kind: 'too many files' }
  | { kind: 'too large'; maxBytes: number }
  /** `maxBytes` is the limit of one file. */
  | { kind: 'too large together'; maxBytes: number }
  | { kind: 'too many redirects' }
  | { kind: 'stalled'; host: string }
  /** Only in operations. A poll has less time than the timeout, so its file ends as 'poll ended'. */
  | { kind: 'too slow'; timeoutMs: number }
  | { kind: 'poll ended' }
  | { kind: 'not stored'; message: string };

/** Says what happened and what to do, for an item's `files_not_downloaded`. */
export function describeFileFailure(failure: FileFailure): string {
  switch (failure.kind) {
    case 'address':
      return `The file was not downloaded: ${failure.problem}.`;
    case 'too large':
      return `The file is larger than ${failure.maxBytes / MEGABYTE} MB. Raise 'Max File Size (MB)' to download it.`;
    case 'too many files':
      return `Only the first ${MAX_FILES} files of a submission are downloaded. To get this one, ${BY_HAND}`;
    case 'too large together':
      return `The files of one submission are downloaded up to ${(MAX_SIZE_FACTOR * failure.maxBytes) / MEGABYTE} MB together. That is ${MAX_SIZE_FACTOR} times 'Max File Size (MB)': raise it, or ${BY_HAND}`;
    case 'too many redirects':
      return `The file server redirects without end. ${OPEN_ADDRESS}`;
    case 'stalled':
      return `The server ${failure.host} sent nothing for ${duration(STALL_MS)}. Try again later, or ${BY_HAND}`;
    case 'too slow':
      return `The file did not arrive within ${duration(failure.timeoutMs)}. Try again later, or allow more time in Settings > Request Options > Timeout.`;
    case 'poll ended':
      return `The time of one poll was too short for the file. To leave more time to smaller files, lower 'Max File Size (MB)'. To get this one, ${BY_HAND}`;
    case 'not stored':
      return `n8n could not store the file: ${failure.message}`;
    case 'untrusted':
      return `The certificate of the file server is not trusted (${failure.code}).`;
    case 'not sent':
      return `n8n could not request the file: ${failure.message}`;
    case 'no response': {
      const [what, why] = NO_RESPONSE[failure.reason];
      const code = failure.code === undefined ? '' : `(${failure.code})`;
      return sentences(`${what('file server')}.`, why, 'Try again later.', code);
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
