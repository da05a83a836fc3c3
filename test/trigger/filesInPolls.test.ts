import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { Json } from '../../emulator/index.ts';
import { HOUR, idsOf, SECOND } from './outcome';
import { limited, useTrigger } from './triggerHarness';

const harness = useTrigger({
  options: { downloadFiles: true },
  output: 'simplified',
  questions: [{ label: 'Resume', kind: 'file_upload' }],
});

const addFile = (name: string) =>
  harness.emulator.workspace.addFile({ name, type: 'application/pdf', data: Buffer.alloc(3_000) });

/** Adds a submission with these files. @returns its ID */
function submitFiles(names: string[], form: string | number = 0): string {
  harness.advance(SECOND);
  const files = names.map((name): Json => ({ name, url: `${harness.url}/files/${addFile(name).id}/${name}` }));
  return harness.submit({ form, answers: { resume: { files } } });
}

const namesOf = (items: INodeExecutionData[]) =>
  items.map(({ binary = {} }) => Object.values(binary).map(({ fileName }) => fileName));
const missingOf = (items: INodeExecutionData[]) => items.map(({ json }) => json['files_not_downloaded']);
/** Files named `slow…` take longer than a poll. @returns a function that ends it */
const slowDown = () => harness.breakService({ drip: 100, everyMs: 5 * SECOND }, /store.*slow/);
/** Files named `slow…` never send a byte. */
const stall = () => harness.breakService({ hang: true }, /store.*slow/);
const missing = (error = '') => [
  { question: 'Resume', name: 'slow.pdf', error: expect.stringContaining(error) as unknown },
];

it('leaves a submission whose files are still coming in to the next poll, with those after it', async () => {
  await harness.beginActive({ scheduler: 'durable' });
  const stop = slowDown();
  const ids = [submitFiles(['a.pdf']), submitFiles(['slow.pdf']), submitFiles(['c.pdf'])];
  const first = await harness.poll();
  expect(first.ids).toEqual(ids.slice(0, 1));
  expect(namesOf(first.items)).toEqual([['a.pdf']]);
  stop();
  const { items } = await harness.pollNextMinute(() => submitFiles(['d.pdf']));
  expect(namesOf(items)).toEqual([['slow.pdf'], ['c.pdf'], ['d.pdf']]);
  expect(missingOf(items)).toStrictEqual([undefined, undefined, undefined]);
  await harness.expectEachOnce();
});

it('emits at least one submission a poll, with what is missing, so that a slow file stops nothing', async () => {
  await harness.beginActive();
  slowDown();
  // More than six, which are downloaded at once.
  const slow = Array.from({ length: 8 }, () => 'slow.pdf');
  const ids = [submitFiles(['a.pdf', ...slow]), submitFiles(['slow.pdf']), submitFiles(['c.pdf'])];
  const polls = await harness.pollUntilEmpty();
  expect(polls.map((poll) => poll.ids)).toEqual([ids.slice(0, 1), ids.slice(1), null]);
  const late = missing('The time of one poll was too short');
  expect(polls.map(({ items }) => missingOf(items))).toEqual([[slow.flatMap(() => late)], [late, undefined], []]);
  expect(namesOf(polls.flatMap(({ items }) => items))).toEqual([['a.pdf'], [], ['c.pdf']]);
});

it('leaves time for files when the title of another form fails slowly again and again', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 2 });
  harness.breakService({ status: 503, delayMs: 9 * SECOND }, new RegExp(`forms/${harness.forms[0]}$`));
  harness.submit({ form: 0 });
  submitFiles(['a.pdf'], harness.forms[1]);
  const { items, elapsedMs } = await harness.poll();
  expect([namesOf(items), missingOf(items)]).toEqual([[['a.pdf']], [undefined]]);
  expect(elapsedMs).toBeLessThanOrEqual(0.6 * 45 * SECOND);
});

it('starts no download in the last twentieth of the poll, which is for n8n to store the items', async () => {
  await harness.beginActive();
  submitFiles(['slow.pdf']);
  harness.emulator.onRequest(() => {
    harness.time.skew = 0.96 * 45 * SECOND;
  });
  const { items, requests } = await harness.poll();
  expect(missingOf(items)).toEqual([missing()]);
  expect(requests.filter(({ path }) => !path.startsWith('/api/'))).toEqual([]);
});

it('a test event whose files take too long is shown all the same', async () => {
  await harness.beginActive();
  stall();
  submitFiles(['slow.pdf']);
  expect(missingOf((await harness.fetchTestEvent()).items)).toEqual([missing()]);
});

it('with several forms, a slow file defers its own form alone, and for a poll', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 3 });
  slowDown();
  for (const id of harness.forms) for (const name of ['a.pdf', 'slow.pdf', 'c.pdf']) submitFiles([name], id);
  const polls = await harness.pollUntilEmpty();
  // The first poll emits what comes before the slow files. Each of the next three emits a slow file and what follows it.
  expect(polls.map(({ items }) => items.length)).toEqual([3, 2, 2, 2, 0]);
  const items = polls.flatMap((poll) => poll.items);
  expect(missingOf(items).filter((each) => each !== undefined)).toEqual([missing(), missing(), missing()]);
  await harness.expectEachOnce();
});

it.each([
  ['however many forms', 8],
  ['the only form that has some', 1],
])('downloads six files at a time, of %s', async (_, withFiles) => {
  await harness.beginActive({ triggerOn: 'allActive', count: 8 });
  harness.breakService({ delayMs: SECOND }, /store/);
  for (let nth = 0; nth < 8; nth++) submitFiles(['a.pdf'], nth % withFiles);
  harness.submitToAll();
  const { ids, requests } = await harness.poll();
  const times = requests.filter(({ path }) => path.includes('store')).map(({ at }) => at);
  expect([ids?.length, times.lastIndexOf(Math.min(...times)) + 1]).toEqual([16, 6]);
});

it.each([2, 4])('of %i forms, slow files of all but one leave room for all files of that one', async (count) => {
  await harness.beginActive({ triggerOn: 'several', count });
  slowDown();
  const [quick = '', ...slow] = harness.forms.toReversed();
  for (const id of slow) for (let nth = 0; nth < 8; nth++) submitFiles(['slow.pdf'], id);
  const ids = [submitFiles([], quick), ...Array.from({ length: 12 }, () => submitFiles(['a.pdf'], quick))];
  const { ids: emitted } = await harness.pollNextMinute();
  expect(emitted).toEqual(expect.arrayContaining(ids));
});

it('with several forms, files of one that are refused with 429 do not hold back those of another', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 2 });
  harness.breakService(limited(50), /store.*refused/);
  harness.breakService({ delayMs: 2 * SECOND }, /store.*seconds/);
  for (let minute = 0; minute < 3; minute++) {
    submitFiles(['refused.pdf'], harness.forms[0]);
    const ids = Array.from({ length: 20 }, () => submitFiles(['seconds.pdf'], harness.forms[1]));
    const { ids: emitted, elapsedMs } = await harness.pollNextMinute();
    expect(emitted).toEqual(expect.arrayContaining(ids));
    expect(elapsedMs).toBeLessThanOrEqual(45 * SECOND);
  }
});

it('a poll ends also where n8n never finishes to store a file', async () => {
  const prepare = ({ helpers }: IPollFunctions) => {
    helpers.prepareBinaryData = async () => await new Promise(() => void harness.time.pass(HOUR));
  };
  await harness.beginActive({ prepare });
  const ids = [submitFiles(['a.pdf']), submitFiles(['b.pdf'])];
  expect([(await harness.poll()).ids, (await harness.pollNextMinute()).ids]).toEqual(ids.map((id) => [id]));
});

it('a file that n8n cannot store, or that the server does not have, holds up no submission', async () => {
  const prepare = ({ helpers }: IPollFunctions) => {
    helpers.prepareBinaryData = async () => await Promise.reject(new Error('The disk is full'));
  };
  await harness.beginActive({ prepare });
  harness.breakService({ status: 404 }, /store.*gone/);
  const ids = ['a.pdf', 'gone.pdf', 'slow.pdf'].map((name) => submitFiles([name]));
  const { ids: emitted, items } = await harness.poll();
  expect(emitted).toEqual(ids);
  expect(missingOf(items).at(-1)).toEqual(missing('The disk is full'));
});

describe('a file server that sends nothing', () => {
  const stalled = missing(' sent nothing for 10 seconds');

  it('delays ten submissions by two polls at most, each with what is missing', async () => {
    await harness.beginActive();
    stall();
    const ids = Array.from({ length: 10 }, () => submitFiles(['slow.pdf', 'slow.pdf']));
    const polls = [await harness.poll(), await harness.pollNextMinute()];
    expect(idsOf(polls)).toEqual(ids);
    expect(missingOf(polls.flatMap(({ items }) => items))).toEqual(ids.map(() => [...stalled, ...stalled]));
    await harness.expectEachOnce();
  });

  it('holds up no file of another submission, and no other form', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    stall();
    const names = ['slow.pdf', 'a.pdf', 'slow.pdf', 'b.pdf'];
    for (const id of harness.forms) for (const name of names) submitFiles([name], id);
    const { items } = await harness.poll();
    expect(namesOf(items)).toEqual([[], ['a.pdf'], [], ['b.pdf'], [], ['a.pdf'], [], ['b.pdf']]);
    await harness.expectEachOnce();
  });
});
