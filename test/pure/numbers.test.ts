import { duration } from '../../nodes/NeetoForm/text';
import { parseRetryAfter, serviceMessage, type RequestFailure } from '../../nodes/NeetoForm/api/failure';
import { sendWithRetries } from '../../nodes/NeetoForm/api/retry';
import { fileName } from '../../nodes/NeetoForm/downloads/fileName';
import { columnNamer, nameColumns } from '../../nodes/NeetoForm/submissions/columnNames';
import { VirtualTime } from '../support/virtualTime';

// Numbers that documents and messages promise, where a function of this package alone decides them.

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

it.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [SECOND, '1 second'],
  [SECOND + 1, '2 seconds'],
  [90 * SECOND, '90 seconds'],
  [90 * SECOND + 1, '2 minutes'],
  [2 * MINUTE, '2 minutes'],
  [90 * MINUTE, '90 minutes'],
  [90 * MINUTE + 1, '2 hours'],
  [2 * HOUR, '2 hours'],
  [90 * HOUR, '90 hours'],
  [90 * HOUR + 1, '4 days'],
  [91 * DAY, '91 days'],
])('%i ms are called %s: rounded up, so that nobody is early', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

it.each<[what: string, firstAskedMs: number | undefined, sentAt: number[]]>([
  ['from half a second', undefined, [0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]],
  ['to 32 seconds', 40_000, [0, 40_000, 72_000]],
])('pauses after a 429 without a time grow %s, until nothing else was answered for a minute', async (_, ms, times) => {
  const random = jest.spyOn(Math, 'random').mockReturnValue(1);
  const time = new VirtualTime(0);
  const sentAt: number[] = [];
  const refuse = async (): Promise<RequestFailure> => {
    const retryAfterMs = sentAt.push(time.now) === 1 ? ms : undefined;
    return await Promise.resolve({ kind: 'status', status: 429, retryAfterMs });
  };
  const { signal } = new AbortController();
  const failureOf = (failure: RequestFailure) => failure;
  const policy = { isRead: true, limitMs: MINUTE, clock: time.computer, signal, failureOf };
  await time.until(sendWithRetries(refuse, policy));
  random.mockRestore();
  // No time passes while a request is under way, so each pause is as long as all before together.
  expect(sentAt).toEqual(times);
});

it.each([
  ['31536000', 365 * DAY],
  ['31536001', undefined],
])('a Retry-After of %s seconds is %s ms: more than a year counts as none', (header, ms) => {
  expect(parseRetryAfter(header, 0)).toBe(ms);
});

it("finds the service's words down to the tenth level of an error", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 'Why' : [nested(levels - 1)]);
  expect(serviceMessage({ error: nested(9) })).toBe('Why');
  expect(serviceMessage({ error: nested(10) })).toBeUndefined();
});

it('column names have 63 characters at most, also those of 9,999 equal labels', () => {
  const questions = Array.from({ length: 9_999 }, (_, index) => {
    return { slug: `q${index}`, label: 'n'.repeat(80), position: index, kind: '' };
  });
  const columns = nameColumns(questions, [], 'columnName', columnNamer('columnName', []));
  expect(columns.at(0)?.name).toHaveLength(58);
  expect(columns.at(-1)?.name).toBe(`${'n'.repeat(58)}_9999`);
});

it.each([
  ['pdf', `${'n'.repeat(196)}.pdf`],
  ['e'.repeat(20), `${'n'.repeat(179)}.${'e'.repeat(20)}`],
  ['e'.repeat(21), 'n'.repeat(200)],
])('file names have 200 characters at most, and keep their ending %s if it has up to 20', (ending, name) => {
  const file = { name: `${'n'.repeat(300)}.${ending}`, url: '', key: 'Resume_1', question: 'Resume' };
  expect(fileName(file, {}, 'https://app.neetoform.com/')).toBe(name);
});
