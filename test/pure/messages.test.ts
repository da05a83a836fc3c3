import { describeFileFailure, type FileFailure } from '../../nodes/NeetoForm/downloads/messages';

const status = (code: number): FileFailure => ({ kind: 'status', status: code });

it.each<[FileFailure, said: RegExp]>([
  [{ kind: 'poll ended' }, /^The time of one poll was too short/],
  [{ kind: 'not stored', message: 'The disk is full' }, /could not store the file: The disk is full$/],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, /not trusted \(CERT_REVOKED\)\.$/],
  [{ kind: 'not sent', message: 'No such option' }, /could not request the file: No such option$/],
  [{ kind: 'no response', reason: 'connection refused', code: 'ECONNREFUSED' }, /later\. \(ECONNREFUSED\)$/],
  [{ kind: 'no response', reason: 'timeout' }, /^The file server did not answer in time\. Try again later\.$/],
  [{ kind: 'no response', reason: 'unknown host' }, /^There is no server at this address\. Try again later\.$/],
  [{ kind: 'no response', reason: 'connection lost' }, /^The connection to the file server was lost\. It broke off/],
  [{ kind: 'no response', reason: 'no route' }, /cannot be reached\. Check .*proxy\. Try again later\.$/],
  [{ kind: 'unreadable', reason: 'unexpected shape' }, /^The server returned no file\. Open its address/],
  ...(['web page', 'broken JSON'] as const).map((reason): [FileFailure, RegExp] => [
    { kind: 'unreadable', reason },
    /^The server returned no file\. Open its address/,
  ]),
  [{ kind: 'address', problem: 'it is odd' }, /^The file was not downloaded: it is odd\.$/],
  [{ kind: 'too many files' }, /^Only the first 50 files .* HTTP Request node\.$/],
  [{ kind: 'too large', maxBytes: 2 * 1024 ** 2 }, /larger than 2 MB\. Raise 'Max File Size \(MB\)'/],
  [{ kind: 'too large together', maxBytes: 2 * 1024 ** 2 }, /up to 20 MB together\. That is 10 times 'Max File Size/],
  [{ kind: 'too many redirects' }, /^The file server redirects without end\. Open its address/],
  [{ kind: 'stalled', host: 'a.example' }, /^The server a\.example sent nothing for 10 seconds\. Try again later, or/],
  [{ kind: 'too slow', timeoutMs: 60_000 }, /did not arrive within 60 seconds\. .*Request Options > Timeout\.$/],
  [status(404), /no longer exists \(status 404\)/],
  [status(401), /denied access \(status 401\)/],
  [status(403), /denied access \(status 403\)/],
  [status(410), /no longer exists \(status 410\)/],
  [status(429), /limits the rate of requests \(status 429\)/],
  [status(500), /could not answer \(status 500\)/],
  [status(599), /could not answer \(status 599\)/],
  [status(499), /^The server returned no file \(status 499\)\. Open its address/],
])('describes what happened to a file: %j', (failure, said) => {
  expect(describeFileFailure(failure)).toMatch(said);
});
