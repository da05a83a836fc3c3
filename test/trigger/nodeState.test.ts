import { startEmulator } from '../../emulator/index.ts';
import type { Poller } from '../support/engine';
import {
  compare,
  createHarness,
  EACH_ONCE,
  HOUR,
  idOf,
  idsOf,
  MINUTE,
  SECOND,
  OTHER_WORKSPACE,
  type HarnessOptions,
  type PollOutcome,
  type TriggerHarness,
} from './harness';

const SCHEDULERS = ['memory', 'durable'] as const;
const WATCHES = ['one', 'several', 'active'] as const;

jest.setTimeout(60_000);

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness({ transport: 'inject', ...options });
};
const emittedBy = async (poller: Poller) => (await poller.poll())?.flat().map(({ json }) => idOf(json)) ?? null;
const anyObjectWith = (part: Record<string, unknown>) => expect.objectContaining(part) as unknown;
/** The user publishes the workflow with the same trigger changed. */
async function publish(change: { url?: string; formId?: string }): Promise<PollOutcome> {
  const { savedStaticData: staticData, node } = harness.poller;
  harness.poller = harness.newPoller({ staticData, node, ...change });
  return await harness.activate();
}

afterEach(async () => await harness.close());

describe.each(SCHEDULERS)('with cursors kept in %s mode', (scheduler) => {
  it('S39 continues where it was when its node is renamed, and renamed back', async () => {
    await begin({ scheduler });
    await harness.activate();
    const ids: string[] = [];
    for (const name of ['On answer', 'NeetoForm Trigger', 'On answer', 'Third', 'NeetoForm Trigger', 'Fourth']) {
      for (let minute = 0; minute < 3; minute++) {
        harness.advance(MINUTE);
        ids.push(harness.insert());
        if (minute < 2) await harness.poll();
      }
      harness.poller.rename(name);
      if (scheduler === 'memory') await harness.activate();
    }
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('a new trigger with the former name of a renamed one emits nothing of the past', async () => {
    await begin({ scheduler });
    await harness.activate();
    harness.insert();
    await harness.pollNextMinute();
    harness.poller.rename('On answer');
    await harness.activate();
    harness.insertMany(120, () => ({}));
    await harness.pollUntilEmpty();
    harness.advance(90 * 24 * HOUR);

    const added = harness.newPoller({
      staticData: harness.poller.savedStaticData,
      node: { id: 'added-node', name: 'NeetoForm Trigger' },
    });
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
    const act = async ({ node, options, delivered }: (typeof triggers)[number], isActivation: boolean) => {
      const poller = harness.newPoller({ node, staticData });
      poller.setParameters({ ...harness.parameters(), options });
      const result = await (isActivation ? poller.activate() : poller.poll());
      delivered.push(...(result?.flat().map(({ json }) => idOf(json)) ?? []));
      // The workflow has one static data for both.
      staticData = poller.staticData;
    };
    for (const trigger of triggers) await act(trigger, true);
    harness.advance(MINUTE);
    const ids = harness.insertMany(53, () => ({}));
    for (const trigger of triggers) await act(trigger, false);
    expect(triggers.map(({ delivered }) => delivered.length)).toEqual([10, 53]);
    for (const [index, name] of ['Second', 'First'].entries()) Object.assign(triggers[index]?.node ?? {}, { name });
    if (scheduler === 'memory') for (const trigger of triggers) await act(trigger, true);
    for (let minute = 0; minute < 10; minute++) {
      harness.advance(MINUTE);
      for (const trigger of triggers) await act(trigger, false);
    }
    for (const { delivered } of triggers) expect(compare(delivered, ids)).toEqual(EACH_ONCE);
  });

  it('a copy of a trigger in the same workflow starts by itself and shares nothing with the original', async () => {
    await begin({ scheduler });
    await harness.activate();
    const first = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([first]);
    const copy = harness.newPoller({
      staticData: harness.poller.savedStaticData,
      node: { id: 'copied-node', name: 'NeetoForm Trigger1' },
    });
    expect(await copy.activate()).toBeNull();
    const second = harness.insert();
    harness.advance(MINUTE);
    expect(await emittedBy(copy)).toEqual([second]);
    expect((await harness.poll()).ids).toEqual([second]);
  });

  it.each(WATCHES)(
    'starts again in another workspace, and again when it is changed back (Watch: %s)',
    async (watch) => {
      const chosen = { watch, formIds: [] as string[] };
      await begin({ scheduler, parameters: chosen });
      chosen.formIds.push(harness.formId);
      harness.poller.setParameters(harness.parameters());
      await harness.activate();
      const first = harness.insert();
      expect((await harness.pollNextMinute()).ids).toEqual([first]);
      const other = await startEmulator({ clock: harness.clock, listen: false });
      harness.services.set(OTHER_WORKSPACE, other);
      const { id } = other.workspace.addForm({ id: '5f3c9a52-7d1e-4b86-9a40-2e8d6c1b7f93', title: 'Other' });
      chosen.formIds = [id];
      other.workspace.addSubmission(id);
      expect(await publish({ url: OTHER_WORKSPACE, formId: id })).toMatchObject({ ids: null, error: undefined });
      const second = other.workspace.addSubmission(id).id;
      expect((await harness.pollNextMinute()).ids).toEqual([second]);
      chosen.formIds = [harness.formId];
      for (let day = 0; day < 90; day++) {
        harness.advance(24 * HOUR);
        harness.insert();
      }
      expect(await publish({ url: harness.url })).toMatchObject({ ids: null, error: undefined });
      expect((await harness.pollNextMinute()).ids).toBeNull();
      const third = harness.insert();
      expect((await harness.pollNextMinute()).ids).toEqual([third]);
      await harness.pollUntilEmpty();
      expect(harness.delivered).toEqual([first, second, third]);
    },
  );

  it('starts again in another workspace in which a form has the same ID', async () => {
    await begin({ scheduler });
    await harness.activate();
    const first = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([first]);
    harness.insert();
    expect((await publish({ url: OTHER_WORKSPACE })).ids).toBeNull();
    expect((await harness.pollNextMinute()).ids).toBeNull();
    const second = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([second]);
  });

  it('starts again when a workspace is changed back before any poll of the other one', async () => {
    await begin({ scheduler });
    await harness.activate();
    const first = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([first]);
    await publish({ url: OTHER_WORKSPACE });
    harness.advance(HOUR);
    harness.insert();
    await publish({ url: harness.url });
    const second = harness.insert();
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([first, second]);
  });

  it('S39 starts again when the form is switched, and again when it is switched back', async () => {
    await begin({ scheduler });
    await harness.activate();
    const first = harness.insert();
    await harness.pollNextMinute();
    const other = harness.emulator.workspace.addForm({ title: 'Other' }).id;
    harness.insert({ createdAt: harness.now - SECOND }, other);
    expect((await publish({ formId: other })).ids).toBeNull();
    harness.insert();
    const second = harness.insert({}, other);
    expect((await harness.pollNextMinute()).ids).toEqual([second]);
    expect((await publish({ formId: harness.formId })).ids).toBeNull();
    const third = harness.insert();
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual([first, second, third]);
  });

  it('delivers what comes between the publication with another form and the next poll', async () => {
    await begin({ scheduler });
    await harness.activate();
    const first = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([first]);
    const other = harness.emulator.workspace.addForm({ title: 'Other' }).id;
    harness.insert({}, other);
    await publish({ formId: other });
    harness.advance(10 * SECOND);
    const id = harness.insert({}, other);
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('a form ID in other letters and with spaces is the same form, and continues where it was', async () => {
    await begin({ scheduler });
    harness.transport = async (options, send) => await send({ ...options, url: options.url.toLowerCase() });
    await harness.activate();
    const first = harness.insert();
    expect((await harness.pollNextMinute()).ids).toEqual([first]);
    const second = harness.insert();
    const activation = await publish({ formId: ` ${harness.formId.toUpperCase()} ` });
    expect([...(activation.ids ?? []), ...idsOf(await harness.pollUntilEmpty())]).toEqual([second]);
  });
});

it('keeps one state of a trigger: under the node, and a copy under its ID', async () => {
  await begin();
  await harness.activate();
  harness.insert();
  await harness.pollNextMinute();
  const { id, name } = harness.poller.node;
  expect(harness.poller.staticData).toEqual({
    global: {
      [`neetoFormTrigger:${id}`]: anyObjectWith({ nodeId: id, name, workspace: new URL(harness.url).host }),
    },
    [`node:${name}`]: { state: anyObjectWith({ nodeId: id, name, workspace: new URL(harness.url).host }) },
  });
  expect(harness.state?.forms.size).toBe(1);
});
