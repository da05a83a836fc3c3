import type { IDataObject } from 'n8n-workflow';
import type { Poller } from '../support/engine';
import { HOUR, idOf, MINUTE, SECOND, START, type PollOutcome } from './harness';
import { addForm, begin, beginActive, expectEachOnce, harness } from './setup';

const SCHEDULERS = ['memory', 'durable'] as const;

const emittedBy = async (poller: Poller) => (await poller.poll())?.flat().map(({ json }) => idOf(json)) ?? null;

/** Another trigger in the harness's workflow. */
const addTrigger = (id: string, name: string) =>
  harness.newPoller({ staticData: harness.poller.savedStaticData, id, name });

/** The user publishes the workflow with the same trigger on this workspace and form. */
async function publish(credentialId: 'here' | 'elsewhere', formId = harness.formId): Promise<PollOutcome> {
  const { savedStaticData: staticData, node } = harness.poller;
  const { id, name } = node;
  harness.poller = harness.newPoller({ staticData, id, name, credentialId, parameters: harness.parameters(formId) });
  return await harness.activate();
}

describe.each(SCHEDULERS)('with cursors kept in %s mode', (scheduler) => {
  it('continues where it was when its node is renamed, and renamed back', async () => {
    await beginActive({ scheduler });
    for (const name of ['On answer', 'NeetoForm Trigger', 'On answer', 'Third', 'NeetoForm Trigger', 'Fourth']) {
      await harness.pollFor(2 * MINUTE, () => harness.insert());
      harness.insert();
      harness.poller.change({ name });
      if (scheduler === 'memory') await harness.activate();
    }
    await expectEachOnce();
  });

  it('a new trigger with the former name of a renamed one emits nothing of the past', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    harness.poller.change({ name: 'On answer' });
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

  it('starts again in another workspace in which a form has the same ID, and again when it is changed back', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    const past = [harness.insert()];
    expect((await publish('elsewhere')).ids).toBeNull();
    expect((await harness.pollNextMinute()).ids).toBeNull();
    await harness.pollNextMinute(() => harness.insert());
    past.push(harness.insert());
    expect((await publish('here')).ids).toBeNull();
    harness.insert();
    await expectEachOnce(harness.inserted.filter((id) => !past.includes(id)));
  });

  it('starts again when the form is switched, and again when it is switched back', async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute(() => harness.insert());
    const other = addForm();
    const ignored = [harness.insert({ createdAt: harness.now - SECOND }, other)];
    expect((await publish('here', other)).ids).toBeNull();
    ignored.push(harness.insert());
    const second = harness.insert({}, other);
    expect((await harness.pollNextMinute()).ids).toEqual([second]);
    expect((await publish('here')).ids).toBeNull();
    harness.insert();
    await expectEachOnce(harness.inserted.filter((id) => !ignored.includes(id)));
  });

  it('a form ID in other letters and with spaces is the same form, and continues where it was', async () => {
    await beginActive({ transport: 'inject', scheduler });
    harness.inProcess.transport = async (options, send) => await send({ ...options, url: options.url.toLowerCase() });
    await harness.pollNextMinute(() => harness.insert());
    harness.insert();
    await publish('here', ` ${harness.formId.toUpperCase()} `);
    await expectEachOnce();
  });

  it('delivers everything once when n8n crashes at the third request of a poll', async () => {
    await beginActive({ transport: 'inject', scheduler });
    const { transport } = harness.inProcess;
    let requests = 0;
    harness.inProcess.transport = async (options, send) => {
      if (++requests >= 3) throw new Error('n8n is dead');
      return await transport(options, send);
    };
    const database = harness.poller.savedStaticData;
    await harness.pollNextMinute(() => harness.insertSpread(450, 100));
    harness.delivered.length = 0;
    harness.inProcess.transport = transport;
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
      harness.advance(4 * MINUTE);
      const outcome = await harness.poll();
      expect(outcome).toMatchObject({ ids: null, error: undefined, requests: [] });
      expect(outcome.staticData).toEqual(outcome.staticDataBefore);
      harness.poller.staticData = after;
      await expectEachOnce();
    });

    it.each([
      ['when n8n has not stored it in the end', 5 * MINUTE, 0],
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
});

it('keeps, with durable cursors, what comes between the activation and the next poll', async () => {
  await begin({ scheduler: 'durable' });
  harness.insert({ createdAt: START - MINUTE });
  await harness.activate();
  const id = harness.insert({ createdAt: START + SECOND });
  await expectEachOnce([id]);
});
