import type { IDataObject } from 'n8n-workflow';
import {
  compare,
  createHarness,
  EACH_ONCE,
  MINUTE,
  SECOND,
  START,
  type TriggerHarness,
  type HarnessOptions,
} from './harness';

jest.setTimeout(60_000);

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness(options);
};

afterEach(async () => await harness.close());

describe.each(['memory', 'durable'] as const)('while n8n stores what a poll emitted (%s)', (scheduler) => {
  let id: string;
  beforeEach(async () => {
    await begin({ scheduler, transport: 'inject' });
    await harness.activate();
    harness.advance(60 * SECOND);
    await harness.poll();
    id = harness.insert();
    const before = structuredClone(harness.storedStaticData);
    expect((await harness.poll()).ids).toEqual([id]);
    harness.poller.staticData = before;
  });
  it('emits nothing in a poll that starts from the state before, and does not change that state', async () => {
    harness.advance(5 * SECOND);
    const { ids, staticData, staticDataBefore } = await harness.poll();
    expect(ids).toBeNull();
    expect(staticData).toEqual(staticDataBefore);
  });

  it('emits it again when n8n has not stored it in the end', async () => {
    harness.advance(60 * SECOND);
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('emits it again when the clock is set back', async () => {
    harness.localSkew = -60 * SECOND;
    expect((await harness.poll()).ids).toEqual([id]);
  });
});

it.each(['memory', 'durable'] as const)(
  'S16 delivers everything once when n8n crashes at the third request of a poll (%s)',
  async (scheduler) => {
    await begin({ scheduler, transport: 'inject' });
    await harness.activate();
    harness.advance(MINUTE);
    const ids = harness.insertSpread(450, 100);
    let requests = 0;
    harness.transport = async (options, send) => {
      if (++requests >= 3) throw new Error('n8n is dead');
      return await send(options);
    };
    const database = harness.poller.savedStaticData;
    await harness.poll();
    harness.delivered.length = 0;
    harness.transport = async (options, send) => await send(options);
    harness.loadDatabase(database);
    await harness.restart();
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  },
);

describe('when n8n crashes around the moment a batch is stored', () => {
  const batch = async () => {
    await harness.activate();
    harness.advance(MINUTE);
    const earlier = harness.insertSpread(2, 1_000);
    await harness.poll();
    harness.advance(MINUTE);
    const ids = harness.insertSpread(5, 1_000);
    const before = harness.poller.savedStaticData;
    await harness.poll();
    return { earlier, ids, before, after: harness.poller.savedStaticData };
  };
  const later = async (database: TriggerHarness['poller']['staticData']) => {
    harness.loadDatabase(database);
    harness.advance(MINUTE);
    const id = harness.insert();
    await harness.restart();
    await harness.pollUntilEmpty();
    return id;
  };

  it('loses that one batch, and no other, if n8n in memory mode had stored the state and not the execution', async () => {
    await begin();
    const { earlier, ids, after } = await batch();
    harness.delivered.splice(-ids.length);
    const next = await later(after);
    expect(harness.delivered).toEqual([...earlier, next]);
  });

  it('repeats that one batch, and no other, if n8n in memory mode had stored the execution and not the state', async () => {
    await begin();
    const { earlier, ids, before } = await batch();
    const next = await later(before);
    expect(harness.delivered).toEqual([...earlier, ...ids, ...ids, next]);
  });

  it('loses and repeats nothing with durable cursors, where state and execution are stored together or not at all', async () => {
    for (const stored of ['neither', 'both', 'all but the copy', 'the copy alone'] as const) {
      await begin({ scheduler: 'durable' });
      const { earlier, ids, before, after } = await batch();
      const isStored = stored === 'both' || stored === 'all but the copy';
      if (!isStored) harness.delivered.splice(-ids.length);
      const database = isStored ? after : before;
      const copy = stored === 'both' || stored === 'the copy alone' ? after : before;
      const next = await later({ ...database, global: copy.global });
      expect(harness.delivered).toEqual([...earlier, ...ids, next]);
      if (stored !== 'the copy alone') await harness.close();
    }
  });

  it('loses nothing with durable cursors either if that batch is the first after the activation', async () => {
    await begin({ scheduler: 'durable' });
    await harness.activate();
    const before = harness.poller.savedStaticData;
    harness.advance(MINUTE);
    const ids = harness.insertSpread(5, 1_000);
    await harness.poll();
    harness.delivered.length = 0;
    // n8n writes the copy, then dies before it stores the cursor with the execution.
    harness.loadDatabase({ ...before, global: harness.poller.savedStaticData.global });
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual(ids);
  });
});

/** Emits a submission with durable cursors. @returns it, and what is stored until n8n has stored that */
async function emitUnstored(): Promise<{ id: string; before: IDataObject }> {
  await begin({ scheduler: 'durable' });
  await harness.activate();
  harness.advance(MINUTE);
  await harness.poll();
  const before = harness.poller.savedStaticData;
  const id = harness.insert();
  expect((await harness.poll()).ids).toEqual([id]);
  return { id, before };
}

it('emits nothing twice with durable cursors when a poll starts before n8n has stored what the last one emitted', async () => {
  const { id, before } = await emitUnstored();
  const after = harness.poller.savedStaticData;
  harness.poller.staticData = before;
  harness.advance(SECOND);
  expect(await harness.poll()).toMatchObject({ ids: null, error: undefined, requests: [] });
  harness.poller.staticData = after;
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([id]);
});

it('emits a batch again with durable cursors when n8n gave up storing it', async () => {
  const { id, before } = await emitUnstored();
  harness.poller.staticData = before;
  harness.delivered.length = 0;
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([id]);
});

it('keeps, with durable cursors, what comes between the activation and the next poll', async () => {
  await begin({ scheduler: 'durable' });
  harness.insert({ createdAt: START - MINUTE });
  await harness.activate();
  const id = harness.insert({ createdAt: START + SECOND });
  harness.advance(MINUTE);
  expect((await harness.poll()).ids).toEqual([id]);
});
