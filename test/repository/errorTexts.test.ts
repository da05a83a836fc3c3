import type { Refusal, RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { describeFailure, type Subject } from '../../nodes/NeetoForm/api/messages';
import { describeFileFailure, type FileFailure } from '../../nodes/NeetoForm/downloads/messages';
import { expectGenerated, pathTo } from './repositoryFiles';

const refused = (status: number, message?: string, location?: string): Refusal => ({
  kind: 'status',
  status,
  message,
  location,
});

/** One of each kind. What the service's own words say decides, too. */
const FAILURES: Array<Exclude<RequestFailure, { kind: 'canceled' }>> = [
  ...[300, 301, 303, 307, 308, 399, 400, 401, 403, 404, 409, 422, 429].map((status) => refused(status)),
  ...[499, 500, 502, 503, 504, 520, 599].map((status) => refused(status)),
  ...[0, 1, 11_000, 3_600_000].map((retryAfterMs): Refusal => ({ kind: 'status', status: 429, retryAfterMs })),
  ...[400, 401, 403, 404, 429, 503].map((status) => refused(status, 'Words.')),
  refused(301, undefined, 'https://elsewhere.example/login'),
  refused(422, 'The last admin stays'),
  refused(422, 'organization_role: is invalid'),
  refused(422, 'time_zone: is not known'),
  { kind: 'unreadable', reason: 'web page' },
  { kind: 'unreadable', reason: 'broken JSON' },
  { kind: 'unreadable', reason: 'unexpected shape', detail: "there is no list of 'forms'" },
  { kind: 'no response', reason: 'timeout' },
  { kind: 'no response', reason: 'connection refused', code: 'ECONNREFUSED' },
  { kind: 'no response', reason: 'unknown host', code: 'ENOTFOUND' },
  { kind: 'no response', reason: 'no route', code: 'EHOSTUNREACH' },
  { kind: 'no response', reason: 'connection lost', code: 'ECONNRESET' },
  { kind: 'untrusted', code: 'CERT_HAS_EXPIRED' },
  { kind: 'not sent', message: 'The request is odd' },
];

const FORM: Subject = { what: 'form', id: 'some-id', parameter: 'Form' };

const SUBJECTS: Record<string, Subject> = {
  'a list': { isOperation: true },
  'a form': { ...FORM, isOperation: true, hint: 'The nearest titles are: A (a).' },
  'a team member that is changed': {
    what: 'team member',
    id: 'some-id',
    parameter: 'Team Member',
    isOperation: true,
    isWrite: true,
  },
  'a form in a poll': FORM,
};

const FILE_FAILURES: FileFailure[] = [
  ...FAILURES,
  refused(410),
  { kind: 'poll ended' },
  { kind: 'not stored', message: 'The disk is full' },
  { kind: 'address', problem: 'it is odd' },
  { kind: 'too many files' },
  { kind: 'too large', maxBytes: 2 * 1024 ** 2 },
  { kind: 'too large together', maxBytes: 2 * 1024 ** 2 },
  { kind: 'too many redirects' },
  { kind: 'stalled', host: 'a.example' },
  { kind: 'too slow', timeoutMs: 60_000 },
];

const nameOf = (failure: object) =>
  Object.values(failure)
    .filter((value) => value !== undefined)
    .join(', ');

it('what users read of failed requests and files changes only together with the file that lists it', () => {
  const ofRequests: Array<[string, object]> = Object.entries(SUBJECTS).map(([what, subject]) => [
    what,
    Object.fromEntries(
      [...FAILURES, { kind: 'canceled' } as const].map((failure) => {
        const { message, description, failure: told } = describeFailure(failure, subject);
        return [nameOf(failure), [message, description, told?.cause]];
      }),
    ),
  ]);
  const ofAgents: Array<[string, object]> = Object.entries(SUBJECTS).map(([what, subject]) => {
    const { message, description } = describeFailure(refused(404), subject, true);
    return [what, [message, description]];
  });
  const texts = {
    requests: Object.fromEntries(ofRequests),
    'a 404 for an AI agent': Object.fromEntries(ofAgents),
    files: Object.fromEntries(
      FILE_FAILURES.map((failure) => [nameOf(failure), describeFileFailure(failure)]),
    ) as object,
  };
  expectGenerated(pathTo('test/repository/errorTexts.json'), `${JSON.stringify(texts, undefined, 2)}\n`);
});
