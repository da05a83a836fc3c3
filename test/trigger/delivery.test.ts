import {
  compare,
  createHarness,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  START,
  idsOf,
  type TriggerHarness,
  type HarnessOptions,
} from './harness';

jest.setTimeout(60_000);

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness(options);
};

afterEach(async () => await harness.close());

const remaining = (ids: string[]) =>
  ids.filter((id) => harness.emulator.workspace.submission(harness.formId, id) !== undefined);
const remove = (id: string | undefined) => harness.emulator.workspace.deleteSubmission(harness.formId, id ?? '');

describe.each(['memory', 'durable'] as const)('with cursors kept in %s mode, the trigger', (scheduler) => {
  it('S01 delivers one submission a minute for an hour, each once and at the next poll', async () => {
    await begin({ scheduler });
    const history = harness.insert({ createdAt: START - HOUR });
    await harness.activate();
    const inserted: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      harness.advance(MINUTE);
      inserted.push(harness.insert());
      const { ids, requests } = await harness.poll();
      expect(ids).toEqual(inserted.slice(-1));
      expect(requests).toHaveLength(1);
    }
    expect(harness.delivered).toEqual(inserted);
    expect(harness.delivered).not.toContain(history);
    expect(harness.formState?.watermark).toBe(harness.now - 15 * MINUTE);
    expect([...(harness.formState?.seenIds.keys() ?? [])]).toEqual(inserted.slice(-16));
  });

  it('S02 delivers two submissions of one time that become visible in different polls, each once', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.advance(MINUTE);
    const first = harness.insert({ createdAt: harness.now });
    const second = harness.insert({ createdAt: harness.now, visibleAt: harness.now + MINUTE });
    expect((await harness.poll()).ids).toEqual([first]);
    harness.advance(MINUTE);
    expect((await harness.poll()).ids).toEqual([second]);
    harness.advance(MINUTE);
    expect((await harness.poll()).ids).toBeNull();
  });

  it('S03 delivers 250 submissions of one time, each once', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.advance(MINUTE);
    const ids = harness.insertMany(250, () => ({ createdAt: harness.now - 5 * SECOND }));
    const outcome = await harness.poll();
    expect(outcome.ids?.toSorted()).toEqual(ids.toSorted());
    expect(outcome.requests.map(({ query }) => query['page'])).toEqual(expect.arrayContaining(['1', '2', '3']));
    expect((await harness.pollUntilEmpty()).flatMap(({ ids: again }) => again ?? [])).toEqual([]);
  });

  it('S06 delivers a submission that becomes visible 30 s late, behind a newer one', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.advance(MINUTE);
    const late = harness.insert({ createdAt: harness.now - 20 * SECOND, visibleAt: harness.now + 10 * SECOND });
    const newer = harness.insert({ createdAt: harness.now - 5 * SECOND });
    expect((await harness.poll()).ids).toEqual([newer]);
    harness.advance(MINUTE);
    expect((await harness.poll()).ids).toEqual([late]);
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([newer, late]);
  });

  it('S10 delivers 1,200 submissions after eight hours without a poll, in two polls and oldest first', async () => {
    await begin({ scheduler });
    await harness.activate();
    const ids = harness.insertMany(1_200, (index) => ({
      createdAt: harness.now + (index + 1) * 24 * SECOND,
      visibleAt: harness.now + (index + 1) * 24 * SECOND,
    }));
    harness.advance(8 * HOUR);
    const [first, second, third] = await harness.pollUntilEmpty();
    expect(first?.ids).toEqual(ids.slice(0, 1_000));
    expect(first?.requests.length).toBeLessThanOrEqual(11);
    expect(second?.ids).toEqual(ids.slice(1_000));
    expect(second?.requests.length).toBeLessThanOrEqual(4);
    expect(third?.ids).toBeNull();
    expect(third?.requests).toHaveLength(1);
  });

  it('S13 delivers every submission that is left when others are deleted while 450 are paged', async () => {
    await begin({ scheduler });
    await harness.activate();
    const ids = harness.insertMany(450, (index) => ({ createdAt: harness.now + index * 100, visibleAt: harness.now }));
    harness.advance(MINUTE);
    let requests = 0;
    const doomed = ids.filter((_, index) => index % 45 === 3);
    const stop = harness.emulator.onRequest(() => {
      if (++requests === 1) return;
      for (const id of doomed.splice(0, 3)) harness.emulator.workspace.deleteSubmission(harness.formId, id);
    });
    const outcome = await harness.poll();
    stop();
    const alive = ids.filter((id) => harness.emulator.workspace.submission(harness.formId, id) !== undefined);
    expect(alive.length).toBeLessThan(450);
    expect(outcome.ids).toEqual(expect.arrayContaining(alive));
    expect(new Set(outcome.ids).size).toBe(outcome.ids?.length);
    expect((await harness.pollUntilEmpty()).flatMap((poll) => poll.ids ?? [])).toEqual([]);
  });

  it('S29 repeats nothing and loses nothing when n8n restarts after quiet polls', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.advance(MINUTE);
    const first = harness.insert();
    expect((await harness.poll()).ids).toEqual([first]);
    for (let quiet = 0; quiet < 40; quiet++) {
      harness.advance(MINUTE);
      expect((await harness.poll()).ids).toBeNull();
    }
    await harness.restart();
    harness.advance(MINUTE);
    const second = harness.insert();
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([first, second]);
  });

  it('S30 repeats nothing when n8n restarts while delivered submissions are not settled yet', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.advance(MINUTE);
    const ids = harness.insertMany(5, (index) => ({ createdAt: harness.now - index }));
    await harness.poll();
    const before = harness.formState;
    const down = harness.insert({ createdAt: harness.now + 30 * SECOND, visibleAt: harness.now + 30 * SECOND });
    harness.advance(MINUTE);
    await harness.restart();
    await harness.pollUntilEmpty();
    expect(before?.seenIds.size).toBe(5);
    expect(harness.delivered.toSorted()).toEqual([...ids, down].toSorted());
  });

  it('S31 delivers the very first submission of a form that was empty at activation', async () => {
    await begin({ scheduler });
    expect((await harness.activate()).ids).toBeNull();
    harness.advance(MINUTE);
    expect((await harness.poll()).ids).toBeNull();
    harness.advance(3 * HOUR);
    const first = harness.insert();
    expect((await harness.poll()).ids).toEqual([first]);
    expect((await harness.pollUntilEmpty()).flatMap(({ ids }) => ids ?? [])).toEqual([]);
  });

  it('S38 sends one request per poll of an idle form with a million submissions', async () => {
    await begin({ scheduler });
    harness.emulator.workspace.addHistory(harness.formId, {
      count: 1_000_000,
      from: START - 1_000_000 * 30 * SECOND,
      everyMs: 30 * SECOND,
    });
    const activation = await harness.activate();
    expect(activation.requests.length).toBeLessThanOrEqual(3);
    harness.advance(2 * HOUR);
    expect((await harness.poll()).requests.length).toBeLessThanOrEqual(2);
    for (let minute = 0; minute < 5; minute++) {
      harness.advance(MINUTE);
      const { ids, requests } = await harness.poll();
      expect(ids).toBeNull();
      expect(requests).toHaveLength(1);
    }
    expect(harness.stateBytes).toBeLessThan(5_000);
  });
});

it('S28 the second of two interleaved polls emits nothing, sends nothing and changes nothing', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const ids = harness.insertMany(3, (index) => ({ createdAt: harness.now - index * SECOND }));
  const [first, second] = await Promise.all([harness.poll(), harness.poll()]);
  expect(first.ids?.toSorted()).toEqual(ids.toSorted());
  expect(second.ids).toBeNull();
  expect(new Set([...first.requests, ...second.requests]).size).toBe(1);
  await harness.pollUntilEmpty();
  expect(harness.delivered).toHaveLength(3);
});

it('S04 delivers 250 submissions of one time whose order changes with every request, each once', async () => {
  await begin();
  harness.emulator.quirks.randomTieOrder = true;
  await harness.activate();
  harness.advance(MINUTE);
  const ids = harness.insertMany(250, () => ({ createdAt: harness.now - 5 * SECOND }));
  await harness.poll();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it('S04 delivers them too when the service gives no totals', async () => {
  await begin();
  Object.assign(harness.emulator.quirks, { randomTieOrder: true, noPagination: true });
  await harness.activate();
  const ids: string[] = [];
  for (let round = 0; round < 8; round++) {
    harness.advance(20 * MINUTE);
    ids.push(...harness.insertMany(101 + round * 20, () => ({ createdAt: harness.now - 5 * SECOND })));
    await harness.poll();
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it('S05 delivers 1,500 submissions of one time and a later one, each once', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const tie = harness.insertMany(1_500, () => ({ createdAt: harness.now - 20 * SECOND }));
  const later = harness.insert({ createdAt: harness.now - SECOND });
  const polls = [await harness.poll(), ...(await harness.pollUntilEmpty())];
  expect(compare(idsOf(polls), [...tie, later])).toEqual(EACH_ONCE);
  expect(idsOf(polls).at(-1)).toBe(later);
  expect(polls[0]?.ids).toHaveLength(1_000);
});

it('S11 delivers 100,000 submissions after 48 hours in a hundred polls of at most 11 requests', async () => {
  await begin({ transport: 'inject' });
  await harness.activate();
  harness.emulator.workspace.addHistory(harness.formId, { count: 100_000, from: harness.now, everyMs: 1_728 });
  harness.advance(48 * HOUR);
  const polls = await harness.pollUntilEmpty();
  expect(new Set(harness.delivered).size).toBe(100_000);
  expect(harness.delivered).toHaveLength(100_000);
  expect(polls.length).toBeLessThanOrEqual(102);
  expect(Math.max(...polls.map(({ requests }) => requests.length))).toBeLessThanOrEqual(11);
});

it.each([true, false])(
  'S12 delivers 4,000 submissions of one minute and never remembers more than 2,000 that are not settled (spread: %s)',
  async (isSpread) => {
    await begin({ transport: 'inject' });
    await harness.activate();
    harness.insertMany(4_000, (index) => ({
      createdAt: harness.now + (isSpread ? index * 15 : 0),
      visibleAt: harness.now + index * 15,
    }));
    let most = 0;
    for (let minute = 0; minute < 25; minute++) {
      harness.advance(MINUTE);
      await harness.poll();
      const { seenIds = new Map<string, number>() } = harness.formState ?? {};
      most = Math.max(most, [...seenIds.values()].filter((created) => created > harness.now - 15 * MINUTE).length);
    }
    expect(most).toBe(2_000);
    expect(new Set(harness.delivered).size).toBe(4_000);
    expect(harness.delivered).toHaveLength(4_000);
  },
);

it.each([false, true])(
  'S14 delivers every submission that is left when others are deleted inside a tie of 350 (without totals: %s)',
  async (noPagination) => {
    await begin();
    harness.emulator.quirks.noPagination = noPagination;
    await harness.activate();
    harness.advance(MINUTE);
    const ids = harness.insertMany(350, () => ({ createdAt: harness.now - 10 * SECOND }));
    let requests = 0;
    harness.emulator.onRequest(() => {
      requests++;
      if (requests > 1 && requests < 7) remove(ids[requests * 7]);
    });
    await harness.poll();
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, remaining(ids))).toMatchObject({ lost: 0, repeated: 0 });
    expect(remaining(ids)).toHaveLength(345);
  },
);

it('S14 delivers them when the order within the tie also changes with every request', async () => {
  await begin({ transport: 'inject' });
  harness.emulator.quirks.randomTieOrder = true;
  await harness.activate();
  const inserted: string[] = [];
  for (let round = 0; round < 60; round++) {
    const tie = harness.insertMany(150, () => ({ createdAt: harness.now }));
    inserted.push(...tie);
    // Settled when it is read first: what is missed then is never asked for again.
    harness.advance(20 * MINUTE);
    let requests = 0;
    const stop = harness.emulator.onRequest(() => {
      requests++;
      if (requests === 3) remove(tie[round]);
    });
    await harness.poll();
    stop();
    harness.advance(SECOND);
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, remaining(inserted))).toMatchObject({ lost: 0, repeated: 0 });
});

it('S15 delivers all that comes after the newest delivered submission was deleted', async () => {
  await begin();
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 30; minute++) {
    harness.advance(MINUTE);
    inserted.push(harness.insert({ createdAt: harness.now - 7 * SECOND }));
    await harness.poll();
    remove(inserted.at(-1));
    inserted.push(harness.insert({ createdAt: harness.now - 8 * SECOND }));
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S37 delivers a submission once that is deleted and then restored, before or after its delivery', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const { workspace } = harness.emulator;
  const [before, after] = [harness.insert({ createdAt: harness.now - SECOND }), harness.insert()];
  remove(before);
  expect((await harness.poll()).ids).toEqual([after]);
  remove(after);
  harness.advance(MINUTE);
  expect((await harness.poll()).ids).toBeNull();
  for (const id of [before, after]) workspace.restoreSubmission(harness.formId, id);
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([after, before]);
});

it('starts at Start From, and delivers the backlog from there in bounded polls', async () => {
  await begin({ options: { startFrom: new Date(START - 5 * HOUR).toISOString(), maxSubmissions: 120 } });
  const before = harness.insert({ createdAt: START - 5 * HOUR - 1 });
  const backlog = harness.insertMany(300, (index) => ({ createdAt: START - 5 * HOUR + index * MINUTE }));
  const activation = await harness.activate();
  expect(activation.ids).toEqual(backlog.slice(0, 120));
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual(backlog);
  expect(harness.delivered).not.toContain(before);
});

it('delivers what a busy form gets in the same second as a known tie of 350, although one comes with every request', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const inserted = harness.insertMany(350, () => ({ createdAt: harness.now - 30 * SECOND }));
  harness.emulator.onRequest(() => {
    inserted.push(harness.insert());
    harness.advance(50);
  });
  for (let minute = 0; minute < 5; minute++) {
    const { error } = await harness.poll();
    expect(error).toBeUndefined();
    harness.advance(MINUTE);
  }
  harness.emulator.reset();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});
