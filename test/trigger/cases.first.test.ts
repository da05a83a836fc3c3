import { asked, createWorld, HOUR, MINUTE, SECOND, START, type World, type WorldOptions } from './world';

let world: World;
const begin = async (options?: WorldOptions) => {
  world = await createWorld(options);
};

afterEach(async () => await world.close());

describe.each(['memory', 'durable'] as const)('with cursors kept in %s mode, the trigger', (scheduler) => {
  it('S01 delivers one submission a minute for an hour, each once and at the next poll', async () => {
    await begin({ scheduler });
    const history = world.insert({ createdAt: START - HOUR });
    await world.activate();
    const inserted: string[] = [];
    for (let minute = 0; minute < 60; minute++) {
      world.advance(MINUTE);
      inserted.push(world.insert());
      const { ids, requests } = await world.poll();
      expect(ids).toEqual(inserted.slice(-1));
      expect(requests).toHaveLength(1);
    }
    expect(world.delivered).toEqual(inserted);
    expect(world.delivered).not.toContain(history);
    expect(world.state?.c).toBe(world.now - 15 * MINUTE);
    expect([...(world.state?.seen.keys() ?? [])]).toEqual(inserted.slice(-16));
  });

  it('S02 delivers two submissions of one time that become visible in different polls, each once', async () => {
    await begin({ scheduler });
    await world.activate();
    world.advance(MINUTE);
    const first = world.insert({ createdAt: world.now });
    const second = world.insert({ createdAt: world.now, visibleAt: world.now + MINUTE });
    expect((await world.poll()).ids).toEqual([first]);
    world.advance(MINUTE);
    expect((await world.poll()).ids).toEqual([second]);
    world.advance(MINUTE);
    expect((await world.poll()).ids).toBeNull();
  });

  it('S03 delivers 250 submissions of one time, each once', async () => {
    await begin({ scheduler });
    await world.activate();
    world.advance(MINUTE);
    const ids = world.insertMany(250, () => ({ createdAt: world.now - 5 * SECOND }));
    const outcome = await world.poll();
    expect(outcome.ids?.toSorted()).toEqual(ids.toSorted());
    expect(asked(outcome).map(({ page }) => page)).toEqual(expect.arrayContaining(['1', '2', '3']));
    expect((await world.drain()).flatMap(({ ids: again }) => again ?? [])).toEqual([]);
  });

  it('S06 delivers a submission that becomes visible 30 s late, behind a newer one', async () => {
    await begin({ scheduler });
    await world.activate();
    world.advance(MINUTE);
    const late = world.insert({ createdAt: world.now - 20 * SECOND, visibleAt: world.now + 10 * SECOND });
    const newer = world.insert({ createdAt: world.now - 5 * SECOND });
    expect((await world.poll()).ids).toEqual([newer]);
    world.advance(MINUTE);
    expect((await world.poll()).ids).toEqual([late]);
    await world.drain();
    expect(world.delivered).toEqual([newer, late]);
  });

  it('S10 delivers 1,200 submissions after eight hours without a poll, in two polls and oldest first', async () => {
    await begin({ scheduler });
    await world.activate();
    const ids = world.insertMany(1_200, (index) => ({
      createdAt: world.now + (index + 1) * 24 * SECOND,
      visibleAt: world.now + (index + 1) * 24 * SECOND,
    }));
    world.advance(8 * HOUR);
    const [first, second, third] = await world.drain();
    expect(first?.ids).toEqual(ids.slice(0, 1_000));
    expect(first?.requests.length).toBeLessThanOrEqual(11);
    expect(second?.ids).toEqual(ids.slice(1_000));
    expect(second?.requests.length).toBeLessThanOrEqual(4);
    expect(third?.ids).toBeNull();
    expect(third?.requests).toHaveLength(1);
  });

  it('S13 delivers every submission that is left when others are deleted while 450 are paged', async () => {
    await begin({ scheduler });
    await world.activate();
    const ids = world.insertMany(450, (index) => ({ createdAt: world.now + index * 100, visibleAt: world.now }));
    world.advance(MINUTE);
    let requests = 0;
    const doomed = ids.filter((_, index) => index % 45 === 3);
    const stop = world.emulator.onRequest(() => {
      if (++requests === 1) return;
      for (const id of doomed.splice(0, 3)) world.emulator.workspace.deleteSubmission(world.formId, id);
    });
    const outcome = await world.poll();
    stop();
    const alive = ids.filter((id) => world.emulator.workspace.submission(world.formId, id) !== undefined);
    expect(alive.length).toBeLessThan(450);
    expect(outcome.ids).toEqual(expect.arrayContaining(alive));
    expect(new Set(outcome.ids).size).toBe(outcome.ids?.length);
    expect((await world.drain()).flatMap((poll) => poll.ids ?? [])).toEqual([]);
  });

  it('S29 repeats nothing and loses nothing when n8n restarts after quiet polls', async () => {
    await begin({ scheduler });
    await world.activate();
    world.advance(MINUTE);
    const first = world.insert();
    expect((await world.poll()).ids).toEqual([first]);
    for (let quiet = 0; quiet < 40; quiet++) {
      world.advance(MINUTE);
      expect((await world.poll()).ids).toBeNull();
    }
    await world.restart();
    world.advance(MINUTE);
    const second = world.insert();
    await world.drain();
    expect(world.delivered).toEqual([first, second]);
  });

  it('S30 repeats nothing when n8n restarts while delivered submissions are still unsettled', async () => {
    await begin({ scheduler });
    await world.activate();
    world.advance(MINUTE);
    const ids = world.insertMany(5, (index) => ({ createdAt: world.now - index }));
    await world.poll();
    const before = world.state;
    const down = world.insert({ createdAt: world.now + 30 * SECOND, visibleAt: world.now + 30 * SECOND });
    world.advance(MINUTE);
    await world.restart();
    await world.drain();
    expect(before?.seen.size).toBe(5);
    expect(world.delivered.toSorted()).toEqual([...ids, down].toSorted());
  });

  it('S31 delivers the very first submission of a form that was empty at activation', async () => {
    await begin({ scheduler });
    expect((await world.activate()).ids).toBeNull();
    world.advance(MINUTE);
    expect((await world.poll()).ids).toBeNull();
    world.advance(3 * HOUR);
    const first = world.insert();
    expect((await world.poll()).ids).toEqual([first]);
    expect((await world.drain()).flatMap(({ ids }) => ids ?? [])).toEqual([]);
  });

  it('S38 asks once per poll of an idle form with a million submissions', async () => {
    await begin({ scheduler });
    world.emulator.workspace.addHistory(world.formId, {
      count: 1_000_000,
      from: START - 1_000_000 * 30 * SECOND,
      everyMs: 30 * SECOND,
    });
    const activation = await world.activate();
    expect(activation.requests.length).toBeLessThanOrEqual(3);
    world.advance(2 * HOUR);
    expect((await world.poll()).requests.length).toBeLessThanOrEqual(2);
    for (let minute = 0; minute < 5; minute++) {
      world.advance(MINUTE);
      const { ids, requests } = await world.poll();
      expect(ids).toBeNull();
      expect(requests).toHaveLength(1);
    }
    expect(world.stateBytes).toBeLessThan(5_000);
  });
});

it('S28 lets the second of two interleaved polls give nothing, ask nothing and change nothing', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const ids = world.insertMany(3, (index) => ({ createdAt: world.now - index * SECOND }));
  const [first, second] = await Promise.all([world.poll(), world.poll()]);
  expect(first.ids?.toSorted()).toEqual(ids.toSorted());
  expect(second.ids).toBeNull();
  expect(new Set([...first.requests, ...second.requests]).size).toBe(1);
  await world.drain();
  expect(world.delivered).toHaveLength(3);
});
