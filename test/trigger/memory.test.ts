import { createHarness, HOUR, MINUTE, type PollFunction, type TriggerHarness } from './harness';

let harness: TriggerHarness;

afterEach(async () => await harness.close());

/** Loads the trigger again. @returns its poll, and every collection that loading its modules created */
async function loadPoll(): Promise<{ polls: PollFunction; collections: Array<Map<unknown, unknown> | Set<unknown>> }> {
  const collections: Array<Map<unknown, unknown> | Set<unknown>> = [];
  const { Map: OriginalMap, Set: OriginalSet } = globalThis;
  globalThis.Map = class<K, V> extends OriginalMap<K, V> {
    constructor(entries?: Iterable<readonly [K, V]> | null) {
      super(entries);
      collections.push(this);
    }
  };
  globalThis.Set = class<T> extends OriginalSet<T> {
    constructor(values?: Iterable<T> | null) {
      super(values);
      collections.push(this);
    }
  };
  try {
    let polls: PollFunction | undefined;
    await jest.isolateModulesAsync(async () => {
      ({ poll: polls } = await import('../../nodes/NeetoForm/polling/poll'));
    });
    if (polls === undefined) throw new Error('The trigger was not loaded');
    return { polls, collections };
  } finally {
    Object.assign(globalThis, { Map: OriginalMap, Set: OriginalSet });
  }
}

it('forgets a trigger that polls no more: an hour later nothing in the process names it', async () => {
  const { polls, collections } = await loadPoll();
  const mentions = (text: string) =>
    collections.filter((collection) => JSON.stringify([...collection]).includes(text)).length;
  harness = await createHarness({ transport: 'inject', polls });
  const removed = harness.newPoller({ node: { id: 'removed-node', name: 'Removed' } });
  await removed.activate();
  harness.advance(MINUTE);
  harness.insert();
  expect(await removed.poll()).not.toBeNull();
  expect(mentions('removed-node')).toBeGreaterThan(0);

  await harness.activate();
  harness.advance(2 * HOUR);
  harness.insert();
  await harness.poll();
  expect(mentions('removed-node')).toBe(0);
});
