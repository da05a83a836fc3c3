import type { FaultEffect, ResponseBody } from '../../emulator/index.ts';
import { deviate, DEVIATIONS, type DeviationName } from '../support/deviations';
import type { Scheduler } from '../support/engine';
import { MINUTE, SECOND } from './outcome';
import { begin, beginActive, harness } from './triggerHarness';

// A service that does not keep to its interface is reported, and nothing is lost.

/** Lets the service read another query for lists of submissions. */
const understands = (change: (query: Record<string, string>) => unknown) => () =>
  harness.emulator.onRequest(({ path, query }) => {
    if (path.endsWith('/submissions')) change(query);
  });
/** Lets it send another list. */
const sends = (rewrite: (body: ResponseBody) => unknown) => () => harness.breakService({ rewrite }, /submissions$/);

const ignoresOrder = sends(({ submissions = [], ...body }) => ({ ...body, submissions: submissions.toReversed() }));

it.each<[message: string, breaks: () => unknown, scheduler: Scheduler]>([
  ["the list of submissions ignores 'order'", ignoresOrder, 'memory'],
  [
    "the list of submissions ignores 'submitted_after'",
    understands((query) => Reflect.deleteProperty(query, 'submitted_after')),
    'durable',
  ],
  ["the list of submissions ignores 'page'", understands((query) => (query['page'] = '1')), 'scheduler'],
  ['the response has no total', sends(({ submissions }) => ({ submissions, pagination: {} })), 'memory'],
])(
  'a list fails the poll as "%s", and everything is delivered when it is right again',
  async (message, breaks, scheduler) => {
    await begin({ scheduler });
    harness.insertMany(3, (nth) => ({ createdAt: harness.now - (60 + nth) * MINUTE }));
    await harness.activate();
    const past = harness.inserted.length;
    harness.advance(30 * MINUTE);
    // More than a page of one second.
    const at = harness.now - 10 * MINUTE;
    harness.insertMany(120, () => ({ createdAt: at }));
    harness.insert();
    breaks();
    const polls = [await harness.pollNextMinute(), await harness.pollNextMinute(), await harness.pollNextMinute()];
    // What was read before is delivered.
    const failed = polls.filter(({ ids }) => ids === null);
    expect(failed.map(({ error }) => error?.message)).toContainEqual(expect.stringContaining(message));
    for (const { staticData, staticDataBefore } of failed) expect(staticData).toEqual(staticDataBefore);
    harness.emulator.reset();
    await harness.expectEachOnce(harness.inserted.slice(past));
  },
);

it('a list that comes in one piece is read as it is', async () => {
  await beginActive();
  understands((query) => Reflect.deleteProperty(query, 'page'))();
  harness.insertSpread(250, 100);
  expect((await harness.pollNextMinute()).ids).toEqual(harness.inserted);
});

const NAMES = Object.keys(DEVIATIONS) as DeviationName[];
/** What the poll says; a deviation that is not named is delivered in spite of it. */
const REFUSED: Partial<Record<DeviationName, string>> = {
  'the total is 0': 'but a page with',
  'the total lacks a row of the page': 'but a page with',
  'the total is 5 too low': 'but a page with',
  'the total is a text': 'the total is not a number',
  'pages begin at 0': "ignores 'page'",
};

it.each(NAMES.flatMap((name) => [30, 100].map((past) => ({ name, past }))))(
  'when $name, each submission after $past others is delivered once, or the poll says why not',
  async ({ name, past }) => {
    await begin();
    harness.insertSpread(past, SECOND);
    await harness.activate();
    deviate(harness.emulator, name, /\/submissions$/);
    harness.advance(MINUTE);
    harness.insertSpread(20, 100);
    const news = harness.inserted.slice(past);
    const { error, staticData, staticDataBefore } = await harness.poll();
    const message = REFUSED[name];
    if (message === undefined) {
      const idle = await harness.pollFor(8 * MINUTE);
      if (past <= 30) for (const { requests } of idle) expect(requests.length).toBeLessThanOrEqual(3);
      harness.insertSpread(230, 50);
      await harness.expectEachOnce(harness.inserted.slice(past));
    } else {
      expect(error?.message).toContain(message);
      expect(staticData).toEqual(staticDataBefore);
      harness.emulator.reset();
      await harness.expectEachOnce(news);
    }
  },
);

it.each(NAMES.flatMap((name) => [30, 100, 250].map((past) => ({ name, past }))))(
  'when $name, a publication leaves $past submissions alone, or says why it fails',
  async ({ name, past }) => {
    await begin();
    harness.insertSpread(past, SECOND);
    deviate(harness.emulator, name, /\/submissions$/);
    const { error } = await harness.activate();
    if (error !== undefined) {
      expect(error.message).toContain(REFUSED[name]);
      return;
    }
    harness.advance(MINUTE);
    const id = harness.insert();
    if (REFUSED[name] !== undefined) harness.emulator.reset();
    await harness.expectEachOnce([id]);
  },
);

it.each<[name: DeviationName, count: number]>([
  ['nothing differs', 100],
  ['a page behind the end has status 404', 100],
  ['a page behind the end has status 422', 200],
  ['page is unknown', 100],
  ['page_size is at most 50, and said to be 100', 130],
  ['page_size is said to be 30', 230],
  ['the total is 5 too high', 99],
  ['page is ignored, and unsaid', 100],
])('when %s, %i submissions of one second are delivered once', async (name, count) => {
  await beginActive();
  harness.advance(MINUTE);
  const createdAt = harness.now;
  deviate(harness.emulator, name, /\/submissions$/);
  harness.advance(MINUTE);
  harness.insertMany(count, () => ({ createdAt }));
  await harness.expectEachOnce();
});

const emptied = ({ submissions: _submissions, ...body }: ResponseBody) => ({ ...body, submissions: [] });

it.each<[what: string, effect: FaultEffect, message: RegExp]>([
  ['empty', { rewrite: emptied }, /the list of submissions ends before its total/],
  ['refused', { status: 422, body: { error: 'No page 2' } }, /^No page 2$/],
])('a page that is %s though the total says that it has rows fails the poll', async (_, effect, message) => {
  await beginActive();
  const createdAt = harness.now;
  harness.insertMany(150, () => ({ createdAt }));
  const match = ({ query }: { query: Record<string, string> }) => query['page'] === '2';
  harness.emulator.fail({ when: { match, times: Infinity }, with: effect });
  const polls = [await harness.pollNextMinute(), await harness.pollNextMinute()];
  expect(polls[1]?.error?.message).toMatch(message);
  harness.emulator.reset();
  await harness.expectEachOnce();
});

it.each<[what: string, breaks: () => unknown, message: RegExp]>([
  ['is empty though its total is not 0', sends(emptied), /^The list of submissions shows 0 rows, but its total is 30$/],
  ["ignores 'order'", ignoresOrder, /ignores 'order'/],
])('a newest page that %s fails the publication', async (_, breaks, message) => {
  await begin();
  harness.insertSpread(30, SECOND);
  breaks();
  expect((await harness.activate()).error?.message).toMatch(message);
  harness.emulator.reset();
  await harness.activate();
  await harness.expectEachOnce([harness.insert()]);
});

it.each(NAMES)('when %s in the list of forms, the workspace is watched, or the poll says why not', async (name) => {
  await beginActive({ triggerOn: 'allActive', count: 230 });
  deviate(harness.emulator, name, /\/forms$/);
  const { error, staticData, staticDataBefore } = await harness.pollNextMinute(() =>
    [0, 120, 229].map((nth) => harness.submit(nth)),
  );
  if (error !== undefined) {
    expect(error.message).toMatch(/ignores 'page'|but its total is|but a page with|but shows more rows|not a number/);
    expect(staticData).toEqual(staticDataBefore);
    harness.emulator.reset();
  }
  await harness.expectEachOnce();
});
