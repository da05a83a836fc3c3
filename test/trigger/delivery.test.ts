import { HOUR, idsOf, MINUTE, SECOND, START } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

it('delivers one submission a minute for an hour, each once and at the next poll', async () => {
  await harness.begin();
  const past = harness.submit({ createdAt: START - HOUR });
  await harness.activate();
  const polls = await harness.pollFor(HOUR, () => harness.submit());
  const ids = harness.submitted.filter((id) => id !== past);
  expect(polls.map((poll) => poll.ids)).toEqual(ids.map((id) => [id]));
  // Every ten minutes, a look at the window takes one more request.
  expect(polls.flatMap(({ requests }) => requests).length).toBeLessThanOrEqual(1.2 * polls.length);
});

it('sends one request per poll of a form with few submissions, however long the polls are apart', async () => {
  await harness.beginActive();
  const polls = await harness.pollFor(4 * HOUR, () => harness.submit(), 10 * MINUTE);
  expect(polls.map(({ ids, requests }) => [ids?.length, requests.length])).toEqual(polls.map(() => [1, 1]));
});

it('sends one request per poll of an idle form with a hundred thousand submissions', async () => {
  await harness.begin({ output: 'row' });
  harness.submitSpread(100_000, 30 * SECOND);
  expect((await harness.activate()).requests).toHaveLength(1);
  harness.advance(2 * HOUR);
  expect((await harness.poll()).requests.length).toBeLessThanOrEqual(2);
  for (const { ids, requests } of await harness.pollFor(5 * MINUTE)) {
    expect(ids).toBeNull();
    expect(requests).toHaveLength(1);
  }
  expect(harness.stateBytes).toBeLessThan(20_000);
});

it('delivers what came in two days without a poll, oldest first, with few requests', async () => {
  await harness.beginActive();
  harness.advance(48 * HOUR);
  const ids = harness.submitSpread(4_000, (48 * HOUR) / 4_000);
  const polls = await harness.pollUntilEmpty();
  expect(idsOf(polls)).toEqual(ids);
  // A poll emits a thousand. Every nine minutes, one reads the whole window: up to twenty pages.
  expect(polls).toHaveLength(5);
  expect(Math.max(...polls.map(({ requests }) => requests.length))).toBeLessThanOrEqual(33);
});

it('polls one at a time: another poll does nothing, and an activation polls when its turn comes', async () => {
  await harness.beginActive();
  const id = harness.submit();
  const before = harness.emulator.requests.length;
  const meanwhile: Array<ReturnType<typeof harness.poll>> = [];
  harness.emulator.onRequest(() => {
    if (meanwhile.length === 0) meanwhile.push(harness.poll(), harness.activate());
  });
  const outcomes = [await harness.poll(), ...(await Promise.all(meanwhile))];
  // n8n discards the items of a poll during which the workflow is published. The activation finds the same again.
  expect(outcomes.map(({ ids, error }) => ids ?? error)).toEqual([undefined, undefined, [id]]);
  expect(harness.emulator.requests.slice(before)).toHaveLength(2);
  await harness.expectEachOnce();
});
