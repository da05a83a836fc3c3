import { describeFileFailure, type FileFailure } from '../../nodes/NeetoForm/downloads/messages';

const status = (code: number): FileFailure => ({ kind: 'status', status: code });

it.each<[FileFailure, said: RegExp]>([
  [{ kind: 'poll ended' }, /^The time of one poll was too short/],
  [{ kind: 'not stored', message: 'The disk is full' }, /could not store the file: The disk is full$/],
  [{ kind: 'untrusted', code: 'CERT_REVOKED' }, /not trusted \(CERT_REVOKED\)\.$/],
  [{ kind: 'not sent', message: 'No such option' }, /could not request the file: No such option$/],
  [{ kind: 'no response', reason: 'connection refused', code: 'ECONNREFUSED' }, /later\. \(ECONNREFUSED\)$/],
  [{ kind: 'no response', reason: 'no route' }, /cannot be reached\. Check .*proxy\. Try again later\.$/],
  [{ kind: 'unreadable', reason: 'unexpected shape' }, /^The server returned no file\. Open its address/],
  [status(401), /denied access \(status 401\)/],
  [status(403), /denied access \(status 403\)/],
  [status(410), /no longer exists \(status 410\)/],
  [status(429), /limits the rate of requests \(status 429\)/],
  [status(500), /could not answer \(status 500\)/],
])('describes what happened to a file: %j', (failure, said) => {
  expect(describeFileFailure(failure)).toMatch(said);
});
