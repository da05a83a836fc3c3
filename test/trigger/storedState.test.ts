import type { IDataObject } from 'n8n-workflow';
import type { Poller } from '../support/engine';
import { compare, EACH_ONCE, HOUR, idOf, MINUTE, OTHER_WORKSPACE, SECOND, START } from './harness';
import type { PollFunction, PollOutcome } from './harness';
import { addForm, begin as beginWith, beginActive as beginActiveWith, expectEachOnce, harness } from './setup';
import { choose, startService, type Setting } from './setup';

const SCHEDULERS = ['memory', 'durable'] as const;

const begin = async (setting?: Setting) => await beginWith({ ...setting });
const beginActive = async (setting?: Setting) => await beginActiveWith({ ...setting });

const emittedBy = async (poller: Poller) => (await poller.poll())?.flat().map(({ json }) => idOf(json)) ?? null;

/** Another trigger in the harness's workflow. */
const addTrigger = (id: string, name: string) =>
  harness.newPoller({ staticData: harness.poller.savedStaticData, node: { id, name } });

/** The user publishes the workflow with the same trigger changed. */
async function publish(change: { url?: string; formId?: string }): Promise<PollOutcome> {
  const { savedStaticData: staticData, node } = harness.poller;
  harness.poller = harness.newPoller({ staticData, node, ...change });
  return await harness.activate();
}

describe.each(SCHEDULERS)('with cursors kept in %s mode', (scheduler) => {
  it('S39 continues where it was when its node is renamed, and renamed back', async () => {
    await beginActive({ scheduler });
    for (const name of ['On answer', 'NeetoForm Trigger', 'On answer', 'Third', 'NeetoForm Trigger', 'Fourth']) {
      await harness.pollFor(2 * MINUTE, () => harness.insert());
      harness.insert();
      harness.poller.rename(name);
      if (scheduler === 'memory') await harness.activate();
    }
    await expectEachOnce();
  });

  it('a new trigger with the former name of a renamed one emits nothing of the past', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    harness.poller.rename('On answer');
    await harness.activate();
    harness.insertMany(120);
    await harness.pollUntilEmpty();
    harness.advance(90 * 24 * HOUR);

    const added = addTrigger('added-node', 'NeetoForm Trigger');
    expect(await added.activate()).toBeNull();
    harness.advance(MINUTE);
    expect(await emittedBy(added)).toBeNull();
    const id = harness.insert();
    expect(await emittedBy(added)).toEqual([id]);
  });

  it('two triggers that swap their names each continue where they were', async () => {
    await begin({ scheduler });
    const triggers = [
      { node: { id: 'first-node', name: 'First' }, options: { maxSubmissions: 10 }, delivered: [] as string[] },
      { node: { id: 'second-node', name: 'Second' }, options: {}, delivered: [] as string[] },
    ];
    let staticData = {};
    const actAll = async (isActivation: boolean) => {
      for (const { node, options, delivered } of triggers) {
        const poller = harness.newPoller({ node, staticData });
        poller.setParameters({ ...harness.parameters(), options });
        const result = await (isActivation ? poller.activate() : poller.poll());
        delivered.push(...(result?.flat().map(({ json }) => idOf(json)) ?? []));
        // The workflow has one static data for both.
        staticData = poller.staticData;
      }
    };
    await actAll(true);
    harness.advance(MINUTE);
    harness.insertMany(53);
    await actAll(false);
    expect(triggers.map(({ delivered }) => delivered.length)).toEqual([10, 53]);
    for (const { node } of triggers) node.name = node.name === 'First' ? 'Second' : 'First';
    if (scheduler === 'memory') await actAll(true);
    for (let minute = 0; minute < 10; minute++) {
      harness.advance(MINUTE);
      await actAll(false);
    }
    for (const { delivered } of triggers) expect(compare(delivered, harness.inserted)).toEqual(EACH_ONCE);
  });

  it('a copy of a trigger in the same workflow starts by itself and shares nothing with the original', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    const copy = addTrigger('copied-node', 'NeetoForm Trigger1');
    expect(await copy.activate()).toBeNull();
    const second = harness.insert();
    harness.advance(MINUTE);
    expect(await emittedBy(copy)).toEqual([second]);
    await expectEachOnce();
  });

  it.each(['one', 'several', 'active'] as const)(
    'starts again in another workspace, and again when it is changed back (Watch: %s)',
    async (watch) => {
      await beginActive({ scheduler, watch, count: 1 });
      await harness.pollNextMinute(() => harness.insert());
      const other = await startService({ clock: harness.clock, listen: false });
      harness.services.set(OTHER_WORKSPACE, other);
      const { id } = other.workspace.addForm({ id: '5f3c9a52-7d1e-4b86-9a40-2e8d6c1b7f93', title: 'Other' });
      choose([id], watch);
      other.workspace.addSubmission(id);
      expect(await publish({ url: OTHER_WORKSPACE, formId: id })).toMatchObject({ ids: null, error: undefined });
      const second = other.workspace.addSubmission(id).id;
      expect((await harness.pollNextMinute()).ids).toEqual([second]);
      choose([harness.formId], watch);
      for (let day = 0; day < 90; day++) {
        harness.advance(24 * HOUR);
        harness.insert();
      }
      expect(await publish({ url: harness.url })).toMatchObject({ ids: null, error: undefined });
      expect((await harness.pollNextMinute()).ids).toBeNull();
      const third = harness.insert();
      await harness.pollUntilEmpty();
      expect(harness.delivered).toEqual([harness.inserted[0], second, third]);
    },
  );

  it('starts again in another workspace in which a form has the same ID', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    const past = harness.insert();
    expect((await publish({ url: OTHER_WORKSPACE })).ids).toBeNull();
    expect((await harness.pollNextMinute()).ids).toBeNull();
    harness.insert();
    await expectEachOnce(harness.inserted.filter((id) => id !== past));
  });

  it('starts again when a workspace is changed back before any poll of the other one', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    await publish({ url: OTHER_WORKSPACE });
    harness.advance(HOUR);
    const past = harness.insert();
    await publish({ url: harness.url });
    harness.insert();
    await expectEachOnce(harness.inserted.filter((id) => id !== past));
  });

  it('S39 starts again when the form is switched, and again when it is switched back', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    const other = addForm();
    const ignored = [harness.insert({ createdAt: harness.now - SECOND }, other)];
    expect((await publish({ formId: other })).ids).toBeNull();
    ignored.push(harness.insert());
    const second = harness.insert({}, other);
    expect((await harness.pollNextMinute()).ids).toEqual([second]);
    expect((await publish({ formId: harness.formId })).ids).toBeNull();
    harness.insert();
    await expectEachOnce(harness.inserted.filter((id) => !ignored.includes(id)));
  });

  it('a form ID in other letters and with spaces is the same form, and continues where it was', async () => {
    await beginActive({ scheduler });
    harness.transport = async (options, send) => await send({ ...options, url: options.url.toLowerCase() });
    await harness.pollNextMinute(() => harness.insert());
    harness.insert();
    await publish({ formId: ` ${harness.formId.toUpperCase()} ` });
    await expectEachOnce();
  });

  it('S16 delivers everything once when n8n crashes at the third request of a poll', async () => {
    await beginActive({ scheduler });
    const { transport } = harness;
    let requests = 0;
    harness.transport = async (options, send) => {
      if (++requests >= 3) throw new Error('n8n is dead');
      return await transport(options, send);
    };
    const database = harness.poller.savedStaticData;
    await harness.pollNextMinute(() => harness.insertSpread(450, 100));
    harness.delivered.length = 0;
    harness.transport = transport;
    harness.loadDatabase(database);
    await harness.restart();
    await expectEachOnce();
  });

  describe('while n8n stores what a poll emitted', () => {
    let before: IDataObject;
    beforeEach(async () => {
      await beginActive({ scheduler });
      await harness.pollNextMinute();
      before = harness.storedStaticData;
      harness.insert();
      expect((await harness.poll()).ids).toEqual(harness.inserted);
    });

    it('a poll that starts from the state before sends and emits nothing, and does not change that state', async () => {
      const after = harness.storedStaticData;
      harness.poller.staticData = before;
      harness.advance(50 * SECOND);
      const outcome = await harness.poll();
      expect(outcome).toMatchObject({ ids: null, error: undefined, requests: [] });
      expect(outcome.staticData).toEqual(outcome.staticDataBefore);
      harness.poller.staticData = after;
      await expectEachOnce();
    });

    it.each([
      ['when n8n has not stored it in the end', MINUTE, 0],
      ['when the clock is set back', 0, -MINUTE],
    ])('it is emitted again %s', async (_, elapsedMs, skew) => {
      harness.poller.staticData = before;
      harness.advance(elapsedMs);
      harness.localSkew = skew;
      expect((await harness.poll()).ids).toEqual(harness.inserted);
    });
  });
});

describe('when n8n crashes around the moment a batch is stored', () => {
  it.each([
    ['memory', 'loses that batch alone if the state is stored, but not the execution', false, 'after', 'after', 0],
    ['memory', 'repeats that batch alone if the execution is stored, but not the state', true, 'before', 'before', 2],
    ['durable', 'loses and repeats nothing if neither is stored', false, 'before', 'before', 1],
    ['durable', 'loses and repeats nothing if both are stored', true, 'after', 'after', 1],
    ['durable', 'loses and repeats nothing if both are stored, but not the copy', true, 'after', 'before', 1],
    ['durable', 'loses and repeats nothing if the copy alone is stored', false, 'before', 'after', 1],
  ] as const)('with cursors in %s mode, n8n %s', async (scheduler, _, isExecuted, state, copy, times) => {
    await beginActive({ scheduler });
    const earlier = harness.insertSpread(2, 1_000);
    await harness.pollNextMinute();
    const before = harness.poller.savedStaticData;
    const batch = harness.insertSpread(5, 1_000);
    await harness.pollNextMinute();
    const databases = { before, after: harness.poller.savedStaticData };
    if (!isExecuted) harness.delivered.splice(-batch.length);

    harness.loadDatabase({ ...databases[state], global: databases[copy].global });
    harness.advance(MINUTE);
    const next = harness.insert();
    await harness.restart();
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([...earlier, ...Array.from({ length: times }, () => batch).flat(), next]);
  });

  it.each(['activation', 'change of the form'])(
    'loses nothing with durable cursors either if that batch is the first after the %s',
    async (start) => {
      await beginActive({ scheduler: 'durable' });
      let { formId } = harness;
      if (start === 'change of the form') {
        await harness.pollNextMinute(() => harness.insert());
        formId = addForm();
        harness.poller.setParameters(harness.parameters(formId));
        await harness.activate();
      }
      const { savedStaticData: before, node } = harness.poller;
      harness.advance(MINUTE);
      const batch = [1, 2, 3].map(() => harness.insert({}, formId));
      await harness.poll();
      harness.delivered.length = 0;
      // n8n writes the copy, then dies before it stores the cursor with the execution.
      harness.loadDatabase({ ...before, global: harness.poller.savedStaticData.global });
      harness.poller.setParameters(node.parameters);
      await expectEachOnce(batch);
    },
  );
});

it('keeps, with durable cursors, what comes between the activation and the next poll', async () => {
  await begin({ scheduler: 'durable' });
  harness.insert({ createdAt: START - MINUTE });
  await harness.activate();
  const id = harness.insert({ createdAt: START + SECOND });
  await expectEachOnce([id]);
});

it('keeps one state of a trigger: under the node, and a copy under its ID', async () => {
  await beginActive();
  await harness.pollNextMinute(() => harness.insert());
  const { id: nodeId, name } = harness.poller.node;
  const state = expect.objectContaining({ nodeId, name, workspace: new URL(harness.url).host }) as unknown;
  expect(harness.poller.staticData).toEqual({
    global: { [`neetoFormTrigger:${nodeId}`]: state },
    [`node:${name}`]: { state },
  });
  expect(harness.state?.forms.size).toBe(1);
});

/** Loads the trigger again. @returns its poll, and every collection that loading its modules created */
async function loadPoll(): Promise<{ polls: PollFunction; collections: Array<Iterable<unknown>> }> {
  const collections: Array<Iterable<unknown>> = [];
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
  await begin({ polls });
  const removed = addTrigger('removed-node', 'Removed');
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
