import { compare, HOUR, idsOf, MINUTE, pathsOf, SECOND, START } from './harness';
import { begin, beginActive, expectEachOnce, harness } from './setup';

const remove = (id = '') => harness.emulator.workspace.log(harness.formId).delete(id);
const remaining = () =>
  harness.inserted.filter((id) => harness.emulator.workspace.log(harness.formId).find(id) !== undefined);
/** Polls until nothing is left. What was not deleted must have been delivered once then. */
async function expectRemainingOnce(): Promise<void> {
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, remaining())).toMatchObject({ lost: 0, repeated: 0 });
}
/** Calls back at every request of the next poll (1, 2, 3 …). */
async function pollWhile(onRequest: (nth: number) => void): Promise<string[] | null> {
  let requests = 0;
  const stop = harness.emulator.onRequest(() => onRequest(++requests));
  const { ids, error } = await harness.poll();
  stop();
  expect(error).toBeUndefined();
  return ids;
}

it('delivers one submission a minute for an hour, each once and at the next poll', async () => {
  await begin();
  const past = harness.insert({ createdAt: START - HOUR });
  await harness.activate();
  const polls = await harness.pollFor(HOUR, () => harness.insert());
  const ids = harness.inserted.filter((id) => id !== past);
  expect(polls.map((poll) => poll.ids)).toEqual(ids.map((id) => [id]));
  // A look at the window is one more in ten minutes.
  expect(polls.flatMap(({ requests }) => requests).length).toBeLessThanOrEqual(1.2 * polls.length);
});

it('delivers two submissions of one time that become visible in different polls, each once', async () => {
  await beginActive();
  harness.advance(MINUTE);
  const first = harness.insert({ createdAt: harness.now });
  const second = harness.insert({ createdAt: harness.now, visibleAt: harness.now + MINUTE });
  expect((await harness.poll()).ids).toEqual([first]);
  expect((await harness.pollNextMinute()).ids).toEqual([second]);
  expect((await harness.pollNextMinute()).ids).toBeNull();
});

it('delivers a submission that becomes visible 30 s late, behind a newer one', async () => {
  await beginActive();
  harness.advance(MINUTE);
  const late = harness.insert({ createdAt: harness.now - 20 * SECOND, visibleAt: harness.now + 10 * SECOND });
  const newer = harness.insert({ createdAt: harness.now - 5 * SECOND });
  expect((await harness.poll()).ids).toEqual([newer]);
  expect((await harness.pollNextMinute()).ids).toEqual([late]);
  await expectEachOnce();
});

it('delivers 1,200 submissions after eight hours without a poll, in two polls and oldest first', async () => {
  await beginActive();
  const ids = harness.insertMany(1_200, (index) => ({
    createdAt: START + (index + 1) * 24 * SECOND,
    visibleAt: START + (index + 1) * 24 * SECOND,
  }));
  harness.advance(8 * HOUR);
  const polls = await harness.pollUntilEmpty();
  expect(polls.map((poll) => poll.ids)).toEqual([ids.slice(0, 1_000), ids.slice(1_000), null]);
  const [first = 0, second = 0, third] = polls.map(({ requests }) => requests.length);
  expect(first).toBeLessThanOrEqual(11);
  expect(second).toBeLessThanOrEqual(4);
  expect(third).toBe(1);
});

it('repeats and loses nothing when n8n restarts, after quiet polls or recent submissions', async () => {
  await beginActive();
  await harness.pollNextMinute(() => harness.insert());
  for (const { ids } of await harness.pollFor(40 * MINUTE)) expect(ids).toBeNull();
  await harness.restart();
  await harness.pollNextMinute(() => harness.insertSpread(5, 1));
  harness.insert({ createdAt: harness.now + 30 * SECOND, visibleAt: harness.now + 30 * SECOND });
  harness.advance(MINUTE);
  await harness.restart();
  await expectEachOnce();
});

it('delivers the very first submission of a form that was empty at activation', async () => {
  await begin();
  expect((await harness.activate()).ids).toBeNull();
  expect((await harness.pollNextMinute()).ids).toBeNull();
  harness.advance(3 * HOUR);
  const first = harness.insert();
  expect((await harness.poll()).ids).toEqual([first]);
  await expectEachOnce();
});

it('sends one request per poll of an idle form with a million submissions', async () => {
  await begin();
  const everyMs = 30 * SECOND;
  const past = { count: 1_000_000, from: START - 1_000_000 * everyMs, everyMs };
  harness.emulator.workspace.log(harness.formId).addHistory(past);
  expect((await harness.activate()).requests.length).toBeLessThanOrEqual(3);
  harness.advance(2 * HOUR);
  expect((await harness.poll()).requests.length).toBeLessThanOrEqual(2);
  for (const { ids, requests } of await harness.pollFor(5 * MINUTE)) {
    expect(ids).toBeNull();
    expect(requests).toHaveLength(1);
  }
  expect(harness.stateBytes).toBeLessThan(20_000);
});

it.each([
  ['delivers 250 submissions of one time in one poll', false],
  ['delivers 250 submissions of one time whose order changes with every request', true],
])('%s, each once', async (_, randomTieOrder) => {
  await beginActive();
  harness.emulator.quirks.randomTieOrder = randomTieOrder;
  const { ids } = await harness.pollNextMinute(() =>
    harness.insertMany(250, () => ({ createdAt: harness.now - 5 * SECOND })),
  );
  expect(ids).toHaveLength(250);
  await expectEachOnce();
});

it('delivers 1,500 submissions of one time and a later one, each once', async () => {
  await beginActive();
  harness.advance(MINUTE);
  harness.insertMany(1_500, () => ({ createdAt: harness.now - 20 * SECOND }));
  const later = harness.insert({ createdAt: harness.now - SECOND });
  expect((await harness.poll()).ids).toHaveLength(1_000);
  await expectEachOnce();
  expect(harness.delivered.at(-1)).toBe(later);
});

it('delivers 100,000 submissions after 48 hours in a hundred polls of at most 12 requests', async () => {
  await beginActive({ transport: 'inject' });
  harness.emulator.workspace.log(harness.formId).addHistory({ count: 100_000, from: START, everyMs: 1_728 });
  harness.advance(48 * HOUR);
  const polls = await harness.pollUntilEmpty();
  expect(new Set(harness.delivered).size).toBe(100_000);
  expect(harness.delivered).toHaveLength(100_000);
  expect(polls.length).toBeLessThanOrEqual(102);
  expect(Math.max(...polls.map(({ requests }) => requests.length))).toBeLessThanOrEqual(12);
});

it('delivers 4,000 submissions of one minute, more than the trigger remembers of a form', async () => {
  await beginActive({ transport: 'inject' });
  harness.insertMany(4_000, (index) => ({ createdAt: START + index * 15, visibleAt: START + index * 15 }));
  await expectEachOnce();
});

it.each([
  ['delivers every submission that is left when others are deleted while 450 are paged', 450, 100],
  ['delivers every submission that is left when others are deleted inside a tie of 350', 350, 0],
])('%s, each once', async (_, count, stepMs) => {
  await beginActive();
  harness.advance(MINUTE);
  const ids = harness.insertMany(count, (index) => ({ createdAt: START + index * stepMs }));
  await pollWhile((nth) => {
    if (nth > 1 && nth < 7) for (const index of [nth * 7, nth * 50]) remove(ids[index]);
  });
  expect(remaining().length).toBeLessThan(count);
  await expectRemainingOnce();
});

it('delivers all that comes after the newest delivered submission was deleted', async () => {
  await beginActive();
  for (let minute = 0; minute < 10; minute++) {
    await harness.pollNextMinute(() => harness.insert({ createdAt: harness.now - 7 * SECOND }));
    remove(harness.delivered.at(-1));
    harness.insert({ createdAt: harness.now - 8 * SECOND });
  }
  await expectEachOnce();
});

it('the second of two interleaved polls emits nothing and sends nothing', async () => {
  await beginActive();
  harness.advance(MINUTE);
  harness.insertSpread(3, SECOND);
  const [first, second] = await Promise.all([harness.poll(), harness.poll()]);
  expect(first.ids).toHaveLength(3);
  expect(second.ids).toBeNull();
  // What the two of them sent: each request once.
  expect(pathsOf(first)).toEqual([...new Set(pathsOf(first))]);
  await expectEachOnce();
});

it('delivers a submission once that is deleted and then restored, before or after its delivery', async () => {
  await beginActive();
  harness.advance(MINUTE);
  const [before, after] = [harness.insert({ createdAt: harness.now - SECOND }), harness.insert()];
  remove(before);
  expect((await harness.poll()).ids).toEqual([after]);
  remove(after);
  expect((await harness.pollNextMinute()).ids).toBeNull();
  for (const id of [before, after]) harness.emulator.workspace.log(harness.formId).restore(id);
  await expectEachOnce();
});

it('starts at Start From, and delivers the backlog from there in bounded polls', async () => {
  const from = START - 5 * HOUR;
  await begin({ options: { startFrom: new Date(from).toISOString(), maxSubmissions: 120 } });
  harness.insert({ createdAt: from - 1 });
  const backlog = harness.insertMany(300, (index) => ({ createdAt: from + index * MINUTE }));
  const polls = [await harness.activate(), ...(await harness.pollUntilEmpty())];
  expect(polls[0]?.ids).toHaveLength(120);
  expect(idsOf(polls)).toEqual(backlog);
});

it('loses nothing of 10,000 submissions an hour, and stores at most 200,000 bytes', async () => {
  await begin({ transport: 'inject' });
  const everyMs = HOUR / 10_000;
  harness.emulator.workspace.log(harness.formId).addHistory({ count: 10_000, from: START - HOUR, everyMs });
  const minutes = 20;
  harness.insertMany((minutes * MINUTE) / everyMs, (index) => {
    const createdAt = Math.floor(START + index * everyMs);
    return { createdAt, visibleAt: createdAt };
  });
  await harness.activate();
  await harness.pollFor(minutes * MINUTE);
  expect(harness.stateBytes).toBeLessThan(200_000);
  // The state is as large as the 2,000 IDs that are remembered of a form.
  expect(harness.stateBytes).toBeGreaterThan(100_000);
  // The first one is as old as the activation.
  await expectEachOnce(harness.inserted.slice(1));
});
