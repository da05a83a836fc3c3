import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { createClock, startEmulator, type FaultEffect } from '../../emulator/index.ts';
import {
  account,
  asked,
  causeOf,
  createWorld,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  START,
  type World,
  type WorldOptions,
} from './world';

jest.setTimeout(60_000);

let world: World;
const begin = async (options?: WorldOptions) => {
  world = await createWorld(options);
};
/** Rows of the last minute, `count` of them, `stepMs` apart. */
const insertSpread = (count: number, stepMs: number) =>
  world.insertMany(count, (index) => ({ createdAt: world.now - count * stepMs + index * stepMs }));
const alive = (ids: string[]) =>
  ids.filter((id) => world.emulator.workspace.submission(world.formId, id) !== undefined);
const remove = (id: string | undefined) => world.emulator.workspace.deleteSubmission(world.formId, id ?? '');

afterEach(async () => await world.close());

it.each([false, true])(
  'S14 delivers every submission that is left when others are deleted inside a tie of 350 (without totals: %s)',
  async (noPagination) => {
    await begin();
    world.emulator.quirks.noPagination = noPagination;
    await world.activate();
    world.advance(MINUTE);
    const ids = world.insertMany(350, () => ({ createdAt: world.now - 10 * SECOND }));
    let requests = 0;
    world.emulator.onRequest(() => {
      requests++;
      if (requests > 1 && requests < 7) remove(ids[requests * 7]);
    });
    await world.poll();
    await world.drain();
    expect(account(world.delivered, alive(ids))).toMatchObject({ lost: 0, repeated: 0 });
    expect(alive(ids)).toHaveLength(345);
  },
);

it('S14 delivers them when, moreover, the order within the tie changes with every request', async () => {
  await begin({ transport: 'inject' });
  world.emulator.quirks.randomTieOrder = true;
  await world.activate();
  const inserted: string[] = [];
  for (let round = 0; round < 60; round++) {
    const tie = world.insertMany(150, () => ({ createdAt: world.now }));
    inserted.push(...tie);
    // Settled when it is read first: what is missed then is never asked for again.
    world.advance(20 * MINUTE);
    let requests = 0;
    const stop = world.emulator.onRequest(() => {
      requests++;
      if (requests === 3) remove(tie[round]);
    });
    await world.poll();
    stop();
    world.advance(SECOND);
  }
  await world.drain();
  expect(account(world.delivered, alive(inserted))).toMatchObject({ lost: 0, repeated: 0 });
});

it('S15 delivers all that comes after the newest delivered submission was deleted', async () => {
  await begin();
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 30; minute++) {
    world.advance(MINUTE);
    inserted.push(world.insert({ createdAt: world.now - 7 * SECOND }));
    await world.poll();
    remove(inserted.at(-1));
    inserted.push(world.insert({ createdAt: world.now - 8 * SECOND }));
  }
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it.each(['memory', 'durable'] as const)(
  'S16 delivers everything once when n8n dies at the third request of a drain (%s)',
  async (scheduler) => {
    await begin({ scheduler, transport: 'inject' });
    await world.activate();
    world.advance(MINUTE);
    const ids = insertSpread(450, 100);
    let requests = 0;
    world.transport = async (options, send) => {
      if (++requests >= 3) throw new Error('n8n is dead');
      return await send(options);
    };
    const database = world.poller.savedStaticData;
    await world.poll();
    world.delivered.length = 0;
    world.transport = async (options, send) => await send(options);
    world.rise(database);
    await world.restart();
    await world.drain();
    expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
  },
);

it('S17 delivers each submission once while every third request fails for 20 min', async () => {
  await begin();
  await world.activate();
  const stop = world.emulator.fail({ when: { every: 3 }, with: { status: 503 } });
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    world.advance(MINUTE);
    inserted.push(...insertSpread(120, 300));
    expect((await world.poll()).error).toBeUndefined();
  }
  stop();
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S18 says that the service fails in every poll of a total outage of 30 min, and delivers everything after it', async () => {
  await begin();
  await world.activate();
  const stop = world.emulator.fail({ when: { every: 1 }, with: { status: 502, body: '<html>Bad gateway</html>' } });
  const inserted: string[] = [];
  for (let minute = 0; minute < 30; minute++) {
    world.advance(MINUTE);
    inserted.push(world.insert());
    const outcome = await world.poll();
    expect(outcome.error).toMatchObject({ httpCode: '502' });
    expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.elapsedMs).toBeLessThan(36 * SECOND);
  }
  stop();
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S19 waits as long as the service says when it limits the rate on the second page of every poll', async () => {
  await begin();
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 10; minute++) {
    world.advance(MINUTE);
    inserted.push(...insertSpread(150, 200));
    const stop = world.emulator.fail({ when: { nth: 2 }, with: { status: 429, headers: { 'retry-after': '20' } } });
    const outcome = await world.poll();
    stop();
    expect(outcome.error).toBeUndefined();
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(20 * SECOND);
    expect(outcome.elapsedMs).toBeLessThan(45 * SECOND);
  }
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S19 gives up in time when the service asks for more patience than a poll has, and tells n8n how long', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const id = world.insert();
  const stop = world.emulator.fail({ when: { every: 1 }, with: { status: 429, headers: { 'retry-after': '120' } } });
  const { error, elapsedMs, requests } = await world.poll();
  stop();
  expect(error instanceof NodeApiError && error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 120_000 });
  expect(requests).toHaveLength(1);
  expect(elapsedMs).toBe(0);
  await world.drain();
  expect(world.delivered).toEqual([id]);
});

it.each<[string, FaultEffect]>([
  ['malformed JSON', { malformed: true }],
  ['a body cut off', { truncate: true }],
  ['a connection reset', { reset: true }],
])('S20 overcomes %s on the second request', async (_, effect) => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const ids = insertSpread(250, 200);
  world.emulator.fail({ when: { nth: 2 }, with: effect });
  expect((await world.poll()).error).toBeUndefined();
  await world.drain();
  expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
});

it.each<[string, FaultEffect, string]>([
  ['an answer without a list', { status: 200, body: { pagination: {} } }, "there is no list of 'submissions'"],
  [
    'a web page',
    { status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } },
    'a web page instead of data',
  ],
])('reports %s rather than take it for an empty list', async (_, effect, words) => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const id = world.insert();
  world.emulator.fail({ with: effect });
  const { error, staticData, staticDataBefore } = await world.poll();
  expect(error?.message).toContain(words);
  expect(staticData).toEqual(staticDataBefore);
  await world.drain();
  expect(world.delivered).toEqual([id]);
});

it('S21 reports a redirect to another host for 20 min without ever calling it, then delivers everything', async () => {
  let calls = 0;
  const other = createServer((_request, response) => {
    calls++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  await begin();
  await world.activate();
  const stop = world.emulator.fail({
    when: { every: 1 },
    with: { redirect: `http://localhost:${(other.address() as AddressInfo).port}/forms` },
  });
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    world.advance(MINUTE);
    inserted.push(world.insert());
    const outcome = await world.poll();
    expect(outcome.error?.message).toContain('not followed');
    expect(outcome.requests).toHaveLength(1);
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  }
  stop();
  await world.drain();
  other.close();
  expect(calls).toBe(0);
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it.each([
  ['up to a second', { roundSubmittedAfter: { to: 'second', direction: 'up' } }],
  ['down to a second', { roundSubmittedAfter: { to: 'second', direction: 'down' } }],
  ['down to a minute', { roundSubmittedAfter: { to: 'minute', direction: 'down' } }],
] as const)('S33 delivers each submission once when the service rounds submitted_after %s', async (_, quirk) => {
  await begin();
  Object.assign(world.emulator.quirks, quirk);
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    world.advance(MINUTE + 137);
    inserted.push(
      ...insertSpread(minute === 7 ? 250 : 3, minute === 7 ? 15 : 333),
      world.insert({ visibleAt: world.now + 5 * MINUTE }),
    );
    await world.poll();
  }
  world.advance(5 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it.each([50, 30, 7])(
  'S34 delivers each submission once when the service puts %i on a page at most',
  async (pageSizeCap) => {
    await begin();
    world.emulator.quirks.pageSizeCap = pageSizeCap;
    await world.activate();
    world.advance(MINUTE);
    const ids = [...insertSpread(120, 400), ...world.insertMany(80, () => ({ createdAt: world.now - SECOND }))];
    await world.poll();
    await world.drain();
    expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
  },
);

it('S35 says so when the service ignores the order asked for, and leaves the state alone', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const ids = insertSpread(150, 200);
  world.emulator.quirks.ignoreOrder = 'desc';
  const outcome = await world.poll();
  expect(outcome.error?.message).toContain('not in the order asked for');
  expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  world.emulator.quirks.ignoreOrder = false;
  await world.drain();
  expect(account(world.delivered, ids)).toEqual(EACH_ONCE);
});

it('S35 does not activate on a form with a past when the service ignores the order', async () => {
  await begin();
  world.insertMany(3, (index) => ({ createdAt: START - index * MINUTE }));
  world.emulator.quirks.ignoreOrder = 'asc';
  expect((await world.activate()).error?.message).toContain('not in the order asked for');
  expect(world.state).toBeUndefined();
});

it('S36 delivers each submission once, and nothing of the past, when the service ignores submitted_after', async () => {
  await begin();
  world.emulator.quirks.ignoreSubmittedAfter = true;
  world.insertMany(430, (index) => ({ createdAt: START - HOUR - index * MINUTE }));
  await world.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    world.advance(MINUTE);
    inserted.push(...insertSpread(minute === 7 ? 150 : 2, 100), world.insert({ visibleAt: world.now + 5 * MINUTE }));
    await world.poll();
  }
  world.advance(5 * MINUTE);
  await world.drain();
  expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
});

it('says so, rather than wait in silence, when a service that ignores submitted_after cannot be read in the time of a poll', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  await world.activate();
  world.insertMany(3_000, (index) => ({ createdAt: START - HOUR - index * MINUTE }));
  world.emulator.quirks.ignoreSubmittedAfter = true;
  world.advance(MINUTE);
  world.poller.staticData = {
    'node:NeetoForm Trigger': {
      [`cursor:${world.formId}`]: { v: 1, source: `acme.neetoform.com/${world.formId}`, c: START, seen: '' },
    },
  };
  const id = world.insert();
  await world.restart();
  const outcome = await world.poll();
  expect(outcome.error?.message).toContain('too slowly');
  expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
  expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  world.emulator.quirks.ignoreSubmittedAfter = false;
  await world.drain();
  expect(world.delivered).toEqual([id]);
});

it('does not activate when what the look-back asks to be remembered cannot be read in time', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  world.insertMany(3_000, (index) => ({ createdAt: START - index * 100 }));
  expect((await world.activate()).error?.message).toContain('too slowly');
  expect(world.state).toBeUndefined();
});

it('S37 delivers a submission once that is deleted and then restored, before or after its delivery', async () => {
  await begin();
  await world.activate();
  world.advance(MINUTE);
  const { workspace } = world.emulator;
  const [before, after] = [world.insert({ createdAt: world.now - SECOND }), world.insert()];
  remove(before);
  expect((await world.poll()).ids).toEqual([after]);
  remove(after);
  world.advance(MINUTE);
  expect((await world.poll()).ids).toBeNull();
  for (const id of [before, after]) workspace.restoreSubmission(world.formId, id);
  await world.drain();
  expect(world.delivered).toEqual([after, before]);
});

describe('S39', () => {
  it('starts anew, delivering nothing of the past, when the form is switched', async () => {
    await begin();
    await world.activate();
    world.advance(MINUTE);
    const first = world.insert();
    await world.poll();
    const { workspace } = world.emulator;
    const other = workspace.addForm({ title: 'Other' });
    workspace.addSubmission(other.id, { createdAt: world.now - SECOND });
    world.poller.setParameters(world.parameters(other.id));
    world.advance(MINUTE);
    expect((await world.activate()).ids).toBeNull();
    const missed = world.insert();
    world.advance(MINUTE);
    const second = workspace.addSubmission(other.id).id;
    expect((await world.poll()).ids).toEqual([second]);
    world.poller.setParameters(world.parameters());
    await world.activate();
    world.advance(MINUTE);
    const third = world.insert();
    await world.drain();
    expect(world.delivered).toEqual([first, second, third]);
    expect(world.delivered).not.toContain(missed);
  });

  it('starts anew when the workspace is switched', async () => {
    await begin();
    await world.activate();
    world.advance(MINUTE);
    const first = world.insert();
    await world.poll();
    const elsewhere = await startEmulator({ clock: createClock(world.now) });
    elsewhere.workspace.addForm({ id: world.formId, title: 'Contact' });
    elsewhere.workspace.addSubmission(world.formId);
    world.poller = world.newPoller(world.poller.savedStaticData, { url: elsewhere.url });
    expect((await world.activate()).ids).toBeNull();
    const second = elsewhere.workspace.addSubmission(world.formId).id;
    expect((await world.poll()).ids).toEqual([second]);
    await elsewhere.close();
    expect(world.delivered).toEqual([first, second]);
  });

  it.each(['memory', 'durable'] as const)(
    'goes on where it was when the node is renamed, and renamed back (%s)',
    async (scheduler) => {
      await begin({ scheduler });
      await world.activate();
      const inserted: string[] = [];
      for (const name of ['On answer', 'NeetoForm Trigger', 'On answer', 'Third', 'NeetoForm Trigger', 'Fourth']) {
        for (let minute = 0; minute < 3; minute++) {
          world.advance(MINUTE);
          inserted.push(world.insert());
          if (minute < 2) await world.poll();
        }
        world.poller.rename(name);
        if (scheduler === 'memory') await world.activate();
      }
      await world.drain();
      expect(account(world.delivered, inserted)).toEqual(EACH_ONCE);
    },
  );
});

describe('an activation', () => {
  it.each([
    ['a wrong key', { apiKey: 'wrong' }, '401', 'credential-invalid'],
    ['an unknown form', { formId: 'no-such-form' }, '404', 'configuration-invalid'],
  ] as const)('fails with the reason for %s', async (_, options, httpCode, cause) => {
    await begin(options);
    const { error, requests } = await world.activate();
    expect(error).toMatchObject({ httpCode });
    expect(causeOf(error)).toBe(cause);
    expect(requests).toHaveLength(1);
    expect(world.poller.staticData).toEqual({ global: {}, 'node:NeetoForm Trigger': {} });
  });

  it.each<[string, FaultEffect]>([
    ['503', { status: 503 }],
    ['429', { status: 429, headers: { 'retry-after': '60' } }],
    ['a broken body', { malformed: true }],
    ['a lost connection', { reset: true }],
  ])(
    'does not keep n8n from starting when the service passingly fails with %s and the place is known; the next poll reports it',
    async (_, effect) => {
      await begin();
      await world.activate();
      world.advance(MINUTE);
      const id = world.insert();
      const stop = world.emulator.fail({ when: { every: 1 }, with: effect });
      world.rise(world.poller.savedStaticData);
      const activation = await world.activate('init');
      expect(activation).toMatchObject({ ids: null, error: undefined });
      expect((await world.poll()).error).toBeInstanceOf(NodeApiError);
      stop();
      expect((await world.poll()).ids).toEqual([id]);
    },
  );

  it('fails when the key was withdrawn, even if the place is known', async () => {
    await begin();
    await world.activate();
    world.emulator.fail({ when: { every: 1 }, with: { status: 401, body: { error: 'Invalid API key' } } });
    expect((await world.activate('init')).error?.message).toContain('Invalid API key');
  });

  it('fails when it has no place yet and the service is down', async () => {
    await begin();
    world.emulator.fail({ when: { every: 1 }, with: { status: 503 } });
    expect((await world.activate()).error).toMatchObject({ httpCode: '503' });
    expect(world.state).toBeUndefined();
  });
});

describe('a poll', () => {
  it('hands out what it took before a fault, goes on there, and reports the fault in the next poll', async () => {
    await begin();
    await world.activate();
    world.advance(MINUTE);
    const ids = insertSpread(250, 200);
    const stop = world.emulator.fail({
      when: { nth: 2, every: 1 },
      with: { status: 403, body: { error: 'Not allowed' } },
    });
    const first = await world.poll();
    expect(first.ids).toEqual(ids.slice(0, 100));
    stop();
    const forGood = world.emulator.fail({ when: { every: 1 }, with: { status: 403, body: { error: 'Not allowed' } } });
    const second = await world.poll();
    expect(second.error?.message).toContain('Not allowed');
    expect(second.staticData).toEqual(second.staticDataBefore);
    forGood();
    await world.drain();
    expect(world.delivered).toEqual(ids);
  });

  it('releases its lock when it throws', async () => {
    await begin();
    await world.activate();
    world.advance(MINUTE);
    const id = world.insert();
    world.emulator.fail({ with: { status: 404, body: { error: 'Form not found' } } });
    expect((await world.poll()).error).toBeDefined();
    expect((await world.poll()).ids).toEqual([id]);
  });

  it('does not hold back the poll of another workflow on the same form', async () => {
    await begin();
    const other = world.newPoller({}, {});
    await Promise.all([world.activate(), other.activate()]);
    world.advance(MINUTE);
    const id = world.insert();
    const [ours, theirs] = await Promise.all([world.poll(), other.poll()]);
    expect([ours.ids, theirs?.flat().map(({ json }) => json.id)]).toContainEqual([id]);
  });

  it('stops asking when its time is spent, and the next one goes on there', async () => {
    await begin({ transport: 'inject', latencyMs: 6 * SECOND });
    await world.activate();
    world.advance(MINUTE);
    const ids = insertSpread(950, 60);
    const { elapsedMs, ids: first } = await world.poll();
    expect(elapsedMs).toBeLessThanOrEqual(45 * SECOND);
    expect(first?.length).toBeGreaterThan(400);
    expect(first?.length).toBeLessThan(950);
    // What is read again before it counts as settled takes the time of the next polls.
    for (let minute = 0; minute < 20; minute++) {
      world.advance(MINUTE);
      await world.poll();
    }
    expect(world.delivered).toEqual(ids);
  });

  it('gives up a request that hangs, within its time', async () => {
    await begin({ transport: 'inject' });
    await world.activate();
    world.advance(MINUTE);
    const id = world.insert();
    const answering = world.transport;
    world.transport = async ({ timeout = Infinity }) => {
      world.advance(timeout);
      throw Object.assign(new Error('timeout'), { code: 'ECONNABORTED' });
    };
    const outcome = await world.poll();
    expect(outcome.error?.message).toContain('did not answer in time');
    expect(outcome.elapsedMs).toBeLessThanOrEqual(45 * SECOND + 1);
    world.transport = answering;
    expect((await world.poll()).ids).toEqual([id]);
  });

  it('writes nothing when nothing changed', async () => {
    await begin();
    await world.activate();
    const database = world.poller.savedStaticData;
    for (let minute = 0; minute < 3; minute++) {
      world.advance(MINUTE);
      const outcome = await world.poll();
      expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    }
    expect(world.poller.staticData).toEqual(database);
  });

  it('shows the newest submission in a manual test and changes nothing', async () => {
    await begin();
    await world.activate();
    world.insertMany(3, (index) => ({ createdAt: START - index * SECOND }));
    const newest = world.insert({ createdAt: START + SECOND });
    const test = await world.poll({ mode: 'manual' });
    expect(test.ids).toEqual([newest]);
    expect(asked(test)).toEqual([expect.objectContaining({ order: 'desc' })]);
    expect(test.staticData).toEqual(test.staticDataBefore);
  });

  it('says in a manual test that the form has no submissions yet', async () => {
    await begin();
    expect((await world.poll({ mode: 'manual' })).error?.message).toBe('This form has no submissions yet');
  });
});

describe('when n8n dies around the moment a batch is stored', () => {
  const batch = async () => {
    await world.activate();
    world.advance(MINUTE);
    const earlier = insertSpread(2, 1_000);
    await world.poll();
    world.advance(MINUTE);
    const ids = insertSpread(5, 1_000);
    const before = world.poller.savedStaticData;
    await world.poll();
    return { earlier, ids, before, after: world.poller.savedStaticData };
  };
  const later = async (database: World['poller']['staticData']) => {
    world.rise(database);
    world.advance(MINUTE);
    const id = world.insert();
    await world.restart();
    await world.drain();
    return id;
  };

  it('H1 loses that one batch, and no other, if n8n in memory mode had stored the state and not the execution', async () => {
    await begin();
    const { earlier, ids, after } = await batch();
    world.delivered.splice(-ids.length);
    const next = await later(after);
    expect(world.delivered).toEqual([...earlier, next]);
  });

  it('H2 repeats that one batch, and no other, if n8n in memory mode had stored the execution and not the state', async () => {
    await begin();
    const { earlier, ids, before } = await batch();
    const next = await later(before);
    expect(world.delivered).toEqual([...earlier, ...ids, ...ids, next]);
  });

  it('H1 H2 loses and repeats nothing with durable cursors, where state and execution are stored together or not at all', async () => {
    for (const stored of ['neither', 'both', 'all but the copy', 'the copy alone'] as const) {
      await begin({ scheduler: 'durable' });
      const { earlier, ids, before, after } = await batch();
      const isStored = stored === 'both' || stored === 'all but the copy';
      if (!isStored) world.delivered.splice(-ids.length);
      const database = isStored ? after : before;
      const copy = stored === 'both' || stored === 'the copy alone' ? after : before;
      const next = await later({ ...database, global: copy.global });
      expect(world.delivered).toEqual([...earlier, ...ids, next]);
      if (stored !== 'the copy alone') await world.close();
    }
  });

  it('H1 H2 loses nothing with durable cursors either if that batch is the first after the activation', async () => {
    await begin({ scheduler: 'durable' });
    await world.activate();
    const before = world.poller.savedStaticData;
    world.advance(MINUTE);
    const ids = insertSpread(5, 1_000);
    await world.poll();
    world.delivered.length = 0;
    // n8n writes the copy, then dies before it stores the cursor with the execution.
    world.rise({ ...before, global: world.poller.savedStaticData.global });
    await world.drain();
    expect(world.delivered).toEqual(ids);
  });
});

/** Hands a submission out with durable cursors. @returns it, and what is stored as long as n8n has not stored that */
async function handOutUnstored(): Promise<{ id: string; before: IDataObject }> {
  await begin({ scheduler: 'durable' });
  await world.activate();
  world.advance(MINUTE);
  await world.poll();
  const before = world.poller.savedStaticData;
  const id = world.insert();
  expect((await world.poll()).ids).toEqual([id]);
  return { id, before };
}

it('hands out nothing twice with durable cursors when a poll begins before n8n has stored what the last one handed out', async () => {
  const { id, before } = await handOutUnstored();
  const after = world.poller.savedStaticData;
  world.poller.staticData = before;
  world.advance(SECOND);
  expect(await world.poll()).toMatchObject({ ids: null, error: undefined, requests: [] });
  world.poller.staticData = after;
  await world.drain();
  expect(world.delivered).toEqual([id]);
});

it('hands a batch out again with durable cursors when n8n gave up storing it', async () => {
  const { id, before } = await handOutUnstored();
  world.poller.staticData = before;
  world.delivered.length = 0;
  await world.drain();
  expect(world.delivered).toEqual([id]);
});

it('delivers what becomes visible while pages are read, as late as the look-back allows', async () => {
  await begin({ transport: 'inject', latencyMs: 2 * SECOND });
  await world.activate();
  world.advance(30 * MINUTE);
  const ids = world.insertMany(450, (index) => ({ createdAt: world.now - 20 * MINUTE + index * 2 * SECOND }));
  const late = world.insert({ createdAt: world.now + 3 * SECOND - 15 * MINUTE, visibleAt: world.now + 3 * SECOND });
  await world.poll();
  await world.drain();
  expect(account(world.delivered, [...ids, late])).toEqual(EACH_ONCE);
});

it('keeps, with durable cursors, what comes between the activation and the next poll', async () => {
  await begin({ scheduler: 'durable' });
  world.insert({ createdAt: START - MINUTE });
  await world.activate();
  const id = world.insert({ createdAt: START + SECOND });
  world.advance(MINUTE);
  expect((await world.poll()).ids).toEqual([id]);
});
