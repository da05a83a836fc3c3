import type { ResponseBody } from '../../emulator/index.ts';
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

it("fails a publication when the newest page ignores 'order'", async () => {
  await begin();
  harness.insertSpread(2, MINUTE);
  ignoresOrder();
  expect((await harness.activate()).error?.message).toContain("ignores 'order'");
});

it('totals that count the page alone repeat nothing of the past, and lose nothing', async () => {
  await begin();
  const past = harness.insertSpread(250, SECOND);
  const onPage = ({ submissions = [] }: ResponseBody) => ({ submissions, total_count: submissions.length });
  sends(onPage)();
  await harness.activate();
  harness.advance(MINUTE);
  harness.insertSpread(250, 100);
  await harness.expectEachOnce(harness.inserted.slice(past.length));
});
