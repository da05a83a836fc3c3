import {
  account,
  createWorld,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  START,
  type PollOutcome,
  type World,
  type WorldOptions,
} from './world';

jest.setTimeout(60_000);

let world: World;
const begin = async (options?: WorldOptions) => {
  world = await createWorld(options);
};
const idsOf = (outcomes: PollOutcome[]) => outcomes.flatMap(({ ids }) => ids ?? []);

afterEach(async () => await world.close());

it('S04 delivers 250 submissions of one time whose order changes with every request, each once', async () => {
  await begin();
  world.emulator.quirks.randomTieOrder = true;
  await world.activate();
  world.advance(MINUTE);
  const ids = world.insertMany(250, () => ({ createdAt: world.now - 5 * SECOND }));
  await world.poll();
  await world.drain();
  expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
});

it('S04 delivers them too when the service gives no totals', async () => {
  await begin();
  Object.assign(world.emulator.quirks, { randomTieOrder: true, noPagination: true });
  await world.activate();
  const ids: string[] = [];
  for (let round = 0; round < 8; round++) {
    world.advance(20 * MINUTE);
    ids.push(...world.insertMany(101 + round * 20, () => ({ createdAt: world.now - 5 * SECOND })));
    await world.poll();
  }
  await world.drain();
  expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
});

it('S05 delivers 1,500 submissions of one time and a later one, each once', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const tie = world.insertMany(1_500, () => ({ createdAt: world.now - 20 * SECOND }));
  const later = world.insert({ createdAt: world.now - SECOND });
  const polls = [await world.poll(), ...(await world.drain())];
  expect(account(idsOf(polls), [...tie, later])).toEqual(EACH_ONCE);
  expect(idsOf(polls).at(-1)).toBe(later);
  expect(polls[0]?.ids).toHaveLength(1_000);
});

it('S07 delivers a submission that becomes visible 10 min late on a busy form', async () => {
  await begin();
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 40; minute++) {
    world.advance(MINUTE);
    inserted.push(...world.insertMany(4, (index) => ({ createdAt: world.now - index * SECOND })));
    if (minute % 5 === 0)
      inserted.push(world.insert({ createdAt: world.now - 2 * SECOND, visibleAt: world.now + 10 * MINUTE }));
    await world.poll();
  }
  world.advance(10 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S08 does not deliver a submission that becomes visible 40 min after its own time, as documented', async () => {
  await begin();
  await world.activate();
  for (let minute = 0; minute < 3; minute++) {
    world.advance(30 * MINUTE);
    world.insert();
    await world.poll();
  }
  const late = world.insert({ createdAt: world.now - 40 * MINUTE });
  const timely = world.insert({ createdAt: world.now - 14 * MINUTE });
  await world.drain();
  expect(world.delivered).toContain(timely);
  expect(world.delivered).not.toContain(late);
});

it('S09 delivers a submission that was created before the activation and became visible after it', async () => {
  await begin();
  const past = world.insert({ createdAt: START - 5 * MINUTE });
  const early = world.insert({ createdAt: START - 2 * MINUTE, visibleAt: START + 2 * MINUTE });
  await world.activate();
  world.advance(3 * MINUTE);
  await world.poll();
  await world.drain();
  expect(world.delivered).toEqual([early]);
  expect(world.delivered).not.toContain(past);
});

it('S11 delivers 100,000 submissions after 48 hours in a hundred polls of at most 11 requests', async () => {
  await begin({ transport: 'inject' });
  await world.activate();
  world.emulator.workspace.addHistory(world.formId, { count: 100_000, from: world.now, everyMs: 1_728 });
  world.advance(48 * HOUR);
  const polls = await world.drain();
  expect(new Set(world.delivered).size).toBe(100_000);
  expect(world.delivered).toHaveLength(100_000);
  expect(polls.length).toBeLessThanOrEqual(102);
  expect(Math.max(...polls.map(({ requests }) => requests.length))).toBeLessThanOrEqual(11);
});

it.each([true, false])(
  'S12 delivers 4,000 submissions of one minute without ever holding more than 2,000 unsettled (spread: %s)',
  async (isSpread) => {
    await begin({ transport: 'inject' });
    await world.activate();
    world.insertMany(4_000, (index) => ({
      createdAt: world.now + (isSpread ? index * 15 : 0),
      visibleAt: world.now + index * 15,
    }));
    let most = 0;
    for (let minute = 0; minute < 25; minute++) {
      world.advance(MINUTE);
      await world.poll();
      const { seen = new Map<string, number>() } = world.state ?? {};
      most = Math.max(most, [...seen.values()].filter((created) => created > world.now - 15 * MINUTE).length);
    }
    expect(most).toBe(2_000);
    expect(new Set(world.delivered).size).toBe(4_000);
    expect(world.delivered).toHaveLength(4_000);
  },
);

it('S22 S23 S24 delivers each submission once whatever the clock of the computer says', async () => {
  await begin();
  await world.activate();
  const inserted: string[] = [];
  for (const skew of [10 * MINUTE, -10 * MINUTE, HOUR, 0]) {
    world.localSkew = skew;
    for (let minute = 0; minute < 20; minute++) {
      world.advance(MINUTE);
      inserted.push(world.insert(), world.insert({ visibleAt: world.now + 9 * MINUTE }));
      await world.poll();
    }
  }
  world.advance(10 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S25 delivers a submission dated two hours ahead, and all that come after it', async () => {
  await begin();
  await world.activate();
  const inserted = [world.insert({ createdAt: world.now + 2 * HOUR })];
  for (let minute = 0; minute < 200; minute++) {
    world.advance(MINUTE);
    if (minute % 3 === 0) inserted.push(world.insert());
    await world.poll();
  }
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S25 delivers what comes after an activation at which the newest submission was dated two hours ahead', async () => {
  await begin();
  const past = [world.insert({ createdAt: START - MINUTE }), world.insert({ createdAt: START + 2 * HOUR })];
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 200; minute++) {
    world.advance(MINUTE);
    if (minute % 3 === 0) inserted.push(world.insert());
    await world.poll();
  }
  expect(world.delivered).toEqual(inserted);
  expect(past.filter((id) => world.delivered.includes(id))).toEqual([]);
});

it('S26 delivers each submission once when the service tells no time and the clock here is 20 min ahead', async () => {
  await begin();
  world.emulator.quirks.noDateHeader = true;
  world.localSkew = 20 * MINUTE;
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    world.advance(MINUTE);
    inserted.push(world.insert(), world.insert({ visibleAt: world.now + 14 * MINUTE }));
    await world.poll();
  }
  world.advance(15 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S26 goes on delivering after a burst of 2,500 when the service tells no time', async () => {
  await begin({ transport: 'inject' });
  world.emulator.quirks.noDateHeader = true;
  await world.activate();
  world.advance(MINUTE);
  const inserted = world.insertMany(2_500, (index) => ({ createdAt: world.now - index }));
  for (let minute = 0; minute < 40; minute++) {
    await world.poll();
    world.advance(MINUTE);
    inserted.push(world.insert());
  }
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it("S27 delivers a submission five minutes late when the service's clock runs five minutes ahead", async () => {
  await begin();
  world.emulator.quirks.dateSkewMs = 5 * MINUTE;
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    world.advance(MINUTE);
    inserted.push(world.insert(), world.insert({ visibleAt: world.now + 5 * MINUTE }));
    await world.poll();
  }
  world.advance(10 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('delivers a submission that becomes visible, as late as it may, while a poll is reading on behind it', async () => {
  await begin({ transport: 'inject', latencyMs: 4 * SECOND });
  world.insert({ createdAt: START - HOUR });
  await world.activate();
  world.advance(20 * MINUTE);
  // The first answer comes 4 s from now; what is settled then ends before the late one, what is settled later would not.
  const settled = world.now - 15 * MINUTE;
  const late = world.insert({ createdAt: settled + 6 * SECOND, visibleAt: world.now + 6 * SECOND });
  const inserted = world.insertMany(300, (index) => ({
    createdAt: settled + (index < 50 ? 5 * SECOND : 7 * SECOND + index * 10),
  }));
  await world.poll();
  await world.drain();
  expect(account(world.delivered, [late, ...inserted])).toEqual(EACH_ONCE);
});

it('S32 delivers submissions some µs apart in separate polls, each once', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const at = world.now - 10 * SECOND + 7;
  const inserted = [123, 500, 999].map((micros, index) =>
    world.insert({ createdAt: at, micros, visibleAt: world.now + index * MINUTE }),
  );
  for (const id of inserted) {
    expect((await world.poll()).ids).toEqual([id]);
    world.advance(MINUTE);
  }
  expect((await world.poll()).ids).toBeNull();
});

it.each(['2026-03-01T17:31:00+05:30', '2026-03-01T12:01:00Z', '2026-03-01T12:01:00', '2026-03-01T12:01:00.123456Z'])(
  'S40 delivers a submission whose time is written %s, once and in its place',
  async (createdAt) => {
    await begin();
    await world.activate();
    world.advance(2 * MINUTE);
    const before = world.insert({ createdAt: START + MINUTE - SECOND });
    const after = world.insert({ createdAt: START + MINUTE + SECOND });
    const id = world.insert({ createdAt });
    expect((await world.poll()).ids).toEqual([before, id, after]);
    expect((await world.drain()).flatMap(({ ids }) => ids ?? [])).toEqual([]);
  },
);

it('keeps a look-back of a fraction of a millisecond from repeating anything', async () => {
  await begin({ options: { lookback: 1 / 90_000 + 0.05 } });
  await world.activate();
  const inserted: string[] = [];
  for (let round = 0; round < 300; round++) {
    world.advance(997);
    inserted.push(world.insert(), world.insert({ createdAt: world.now - (round % 3_000) }));
    await world.poll();
  }
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('begins at Start From, and delivers the backlog from there in bounded polls', async () => {
  await begin({ options: { startFrom: new Date(START - 5 * HOUR).toISOString(), maxSubmissions: 120 } });
  const before = world.insert({ createdAt: START - 5 * HOUR - 1 });
  const backlog = world.insertMany(300, (index) => ({ createdAt: START - 5 * HOUR + index * MINUTE }));
  const activation = await world.activate();
  expect(activation.ids).toEqual(backlog.slice(0, 120));
  await world.drain();
  expect(world.delivered).toEqual(backlog);
  expect(world.delivered).not.toContain(before);
});

it('delivers what a busy form gets in the same second as a tie of 350 that is known already, though one comes with every request', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const inserted = world.insertMany(350, () => ({ createdAt: world.now - 30 * SECOND }));
  world.emulator.onRequest(() => {
    inserted.push(world.insert());
    world.advance(50);
  });
  for (let minute = 0; minute < 5; minute++) {
    const { error } = await world.poll();
    expect(error).toBeUndefined();
    world.advance(MINUTE);
  }
  world.emulator.reset();
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});
