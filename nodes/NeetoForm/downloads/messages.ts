import type { FileFailure, Refusal } from './download';

export const MEGABYTE = 1024 * 1024;

export interface Limits {
  maxBytes: number;
  /** ms that the file had. */
  limitMs: number;
  /** What gave it no more time. */
  limitedBy: 'file' | 'poll';
}

/** What happened to a file, then what to change: it stands beside the answers in `files_not_downloaded`. */
export function describeFileFailure(fault: FileFailure, limits: Limits): string {
  switch (fault.kind) {
    case 'refused':
      return wordRefusal(fault, limits);
    case 'status':
      return wordStatus(fault.status);
    case 'redirect':
    case 'unreadable':
      return 'The server gave no file. Open its address in a browser to see what is there.';
    case 'no answer':
      return `${NO_ANSWER[fault.reason]}${fault.code === undefined ? '' : ` (${fault.code})`}`;
    case 'not sent':
      return `The file was not fetched: ${fault.words}`;
    case 'not stored':
      return `n8n could not store the file: ${fault.words}`;
    case 'cancelled':
      return limits.limitedBy === 'poll'
        ? "The time of one poll was too short for the file. Lower 'Max File Size (MB)', or fetch it from its address by an HTTP Request node."
        : `The file did not arrive within ${limits.limitMs / 1000} seconds. Try again later, or allow more time in this node's Options > Timeout.`;
  }
}

const NO_ANSWER = {
  timeout: 'The server of the file did not answer in time. Try again later.',
  refused: 'The server of the file refused the connection. Try again later.',
  'unknown host': 'There is no server at the address of the file.',
  'connection lost': 'The connection broke off before the file was complete. Try again later.',
};

function wordRefusal(fault: Refusal, { maxBytes }: Limits): string {
  switch (fault.why) {
    case 'too large':
      return `The file is larger than ${maxBytes / MEGABYTE} MB. Raise 'Max File Size (MB)' to download it.`;
    case 'too many redirects':
      return 'The file is sent on from one address to the next without end. Open its address in a browser to see what is there.';
    case 'address':
      return `The file was not fetched: its address ${fault.reason} (${fault.host}). Files are downloaded from public https addresses only.`;
  }
}

function wordStatus(status: number): string {
  const code = `(status ${status})`;
  if (status === 404 || status === 410)
    return `There is no file at this address any more ${code}. It may have been deleted.`;
  if (status === 401 || status === 403)
    return `The server does not give the file away ${code}. Its address may have expired: read the submission again.`;
  if (status === 429)
    return `The server of the file is limiting the rate of requests ${code}. Try again later, with fewer submissions at once.`;
  if (status >= 500) return `The server of the file could not answer ${code}. Try again later.`;
  return `The server gave no file ${code}. Open its address in a browser to see what is there.`;
}
