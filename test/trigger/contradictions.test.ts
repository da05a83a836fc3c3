import type { FaultEffect, RequestRecord } from '../../emulator/index.ts';
import { deviate, DEVIATIONS, type DeviationName } from '../support/deviations';
import type { Scheduler } from '../support/engine';
import { expectFailure, MINUTE, SECOND } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

// A service that does not keep to its interface is reported, and nothing is lost.

const breakLists = (effect: FaultEffect, onlyPage?: string) => {
  const match = ({ query }: RequestRecord) => onlyPage === undefined || query['page'] === onlyPage;
  harness.emulator.fail({ when: { path: /\/submissions$/, match, times: Infinity }, with: effect });
};

const unordered: FaultEffect = {
  rewrite: ({ submissions = [], ...body }) => ({ ...body, submissions: submissions.toReversed() }),
};
const unfiltered: FaultEffect = { reread: ({ submitted_after: _after, ...query }) => query };
const emptied: FaultEffect = { rewrite: (body) => ({ ...body, submissions: [] }) };

it.each<{ message: string; effect: FaultEffect; scheduler?: Scheduler; onlyPage?: string }>([
  { message: "the list of submissions ignores 'order'", effect: unordered },
  { message: "the list of submissions ignores 'submitted_after'", effect: unfiltered, scheduler: 'durable' },
  {
    message: "the list of submissions ignores 'page'",
    effect: DEVIATIONS['page is ignored'],
    scheduler: 'scheduler',
  },
  {
    message: 'the response has no total',
    effect: { rewrite: ({ submissions }) => ({ submissions, pagination: {} }) },
  },
  { message: 'the list of submissions ends before its total', effect: emptied, onlyPage: '2' },
  { message: 'No page 2', effect: { status: 422, body: { error: 'No page 2' } }, onlyPage: '2' },
])(
  'a list fails the poll as "$message", and everything is delivered when it is right again',
  async ({ message, effect, scheduler, onlyPage }) => {
    await harness.begin({ scheduler });
    harness.submitMany(3, (nth) => ({ createdAt: harness.now - (60 + nth) * MINUTE }));
    await harness.activate();
    const past = harness.submitted.length;
    harness.advance(30 * MINUTE);
    // More than a page of one second.
    const at = harness.now - 10 * MINUTE;
    harness.submitMany(120, () => ({ createdAt: at }));
    harness.submit();
    breakLists(effect, onlyPage);
    const polls = [await harness.pollNextMinute(), await harness.pollNextMinute(), await harness.pollNextMinute()];
    const failed = polls.filter(({ ids }) => ids === null);
    expect(failed.map(({ error }) => error?.message)).toContainEqual(expect.stringContaining(message));
    for (const { staticData, staticDataBefore } of failed) expect(staticData).toEqual(staticDataBefore);
    harness.emulator.reset();
    await harness.expectEachOnce(harness.submitted.slice(past));
  },
);

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
    await harness.begin();
    harness.submitSpread(past, SECOND);
    await harness.activate();
    deviate(harness.emulator, name, /\/submissions$/);
    harness.advance(MINUTE);
    harness.submitSpread(20, 100);
    const news = harness.submitted.slice(past);
    const outcome = await harness.poll();
    const message = REFUSED[name];
    if (message === undefined) {
      const idle = await harness.pollFor(8 * MINUTE);
      if (past <= 30) for (const { requests } of idle) expect(requests.length).toBeLessThanOrEqual(3);
      harness.submitSpread(230, 50);
      await harness.expectEachOnce(harness.submitted.slice(past));
    } else {
      expectFailure(outcome, message);
      harness.emulator.reset();
      await harness.expectEachOnce(news);
    }
  },
);

it.each(NAMES.flatMap((name) => [30, 100, 250].map((past) => ({ name, past }))))(
  'when $name, a publication leaves $past submissions alone, or says why it fails',
  async ({ name, past }) => {
    await harness.begin();
    harness.submitSpread(past, SECOND);
    deviate(harness.emulator, name, /\/submissions$/);
    const { error } = await harness.activate();
    if (error !== undefined) {
      expect(error.message).toContain(REFUSED[name]);
      return;
    }
    harness.advance(MINUTE);
    const id = harness.submit();
    if (REFUSED[name] !== undefined) harness.emulator.reset();
    await harness.expectEachOnce([id]);
  },
);

it.each<[name: DeviationName, count: number]>([
  ['nothing differs', 100],
  ['a page behind the end has status 400', 100],
  ['a page behind the end has status 404', 100],
  ['a page behind the end has status 422', 200],
  ['page is unknown', 100],
  ['page_size is at most 50, and said to be 100', 130],
  ['page_size is said to be 30', 230],
  ['the total is 5 too high', 99],
  ['page is ignored, and unsaid', 100],
])('when %s, %i submissions of one second are delivered once', async (name, count) => {
  await harness.beginActive();
  harness.advance(MINUTE);
  const createdAt = harness.now;
  deviate(harness.emulator, name, /\/submissions$/);
  harness.advance(MINUTE);
  harness.submitMany(count, () => ({ createdAt }));
  await harness.expectEachOnce();
});

it('a newest page that is empty though its total is not 0 fails the publication', async () => {
  await harness.begin();
  harness.submitSpread(30, SECOND);
  breakLists(emptied);
  expect((await harness.activate()).error?.message).toBe(
    'The list of submissions cannot be read completely: it shows 0 of 30 rows',
  );
  harness.emulator.reset();
  await harness.activate();
  await harness.expectEachOnce([harness.submit()]);
});
