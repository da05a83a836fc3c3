import { DAY, idOf, MINUTE, type PollOutcome } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

it.each(['memory', 'durable'] as const)(
  'a poll while n8n stores what another one emitted repeats nothing, and leaves an own state to n8n (%s)',
  async (scheduler) => {
    await harness.beginActive({ scheduler });
    await harness.pollNextMinute();
    harness.submit();
    let second: PollOutcome | undefined;
    const beforeStoring = async () => {
      harness.advance(4 * MINUTE);
      second = await harness.poll();
    };
    expect((await harness.poll({ beforeStoring })).ids).toEqual(harness.submitted);
    expect(second).toMatchObject({ ids: null, error: undefined });
    if (scheduler === 'durable') expect(second).toMatchObject({ requests: [], staticData: second?.staticDataBefore });
    await harness.expectEachOnce();
  },
);

it('what n8n has not stored in the end is emitted again, whatever the clock says', async () => {
  await harness.beginActive({ scheduler: 'durable' });
  await harness.pollNextMinute();
  harness.submit();
  expect((await harness.poll({ stored: 'nothing' })).ids).toEqual(harness.submitted);
  harness.time.skew = -MINUTE;
  expect((await harness.poll()).ids).toBeNull();
  harness.advance(5 * MINUTE);
  expect((await harness.poll()).ids).toEqual(harness.submitted);
});

it('emits again what n8n did not store in a crash, also in the first poll of another workspace', async () => {
  await harness.beginActive({ scheduler: 'durable' });
  await harness.pollNextMinute(() => harness.submit());
  harness.workflow.change({ credentials: { neetoFormApi: { id: 'elsewhere', name: 'Another' } } });
  await harness.activate();
  const batch = harness.submitMany(2);
  expect((await harness.poll({ stored: 'workflow' })).ids).toEqual(batch);
  await harness.restart();
  expect((await harness.pollNextMinute()).ids).toEqual(batch);
});

it('emits again what n8n did not store in a crash, also when the trigger is renamed before its next poll', async () => {
  await harness.beginActive({ scheduler: 'durable' });
  await harness.pollNextMinute(() => harness.submit());
  const batch = harness.submitMany(2);
  expect((await harness.poll({ stored: 'workflow' })).ids).toEqual(batch);
  await harness.restart();
  harness.workflow.change({ name: 'New answers' });
  const { ids } = await harness.activate('update');
  expect([...(ids ?? []), ...((await harness.pollNextMinute()).ids ?? [])]).toEqual(batch);
});

it('a trigger without submissions for 40 days keeps its state through a new name and a restart, although others store theirs', async () => {
  await harness.begin({ count: 2 });
  // The first one is polled without news, the second has some.
  const workflow = harness.newWorkflowOfEachForm();
  await workflow.activateAll();
  const pollBoth = async () => {
    harness.advance(20 * DAY);
    for (const id of ['node-0', 'node-1']) await workflow.poll({}, workflow.nodeOf(id));
  };
  await pollBoth();
  harness.submit({ form: 1 });
  await pollBoth();
  const id = harness.submit({ form: 0 });
  workflow.change({ name: 'New answers' });
  // The next process only knows what n8n has stored.
  workflow.restart();
  const results = await workflow.activateAll('init');
  const emitted = results.get('New answers');
  expect(Array.isArray(emitted) && emitted.flat().map(({ json }) => idOf(json))).toEqual([id]);
});

it.each(['memory', 'scheduler', 'durable'] as const)(
  'IDs that JavaScript gives a meaning are remembered, in %s',
  async (scheduler) => {
    await harness.beginActive({ scheduler, triggerOn: 'allActive', count: 1 });
    await harness.pollFor(20 * MINUTE);
    harness.forms.push(harness.emulator.workspace.addForm({ id: '__proto__', title: 'Odd' }).id);
    for (const id of ['__proto__', 'constructor']) await harness.pollNextMinute(() => harness.submit({ id }));
    await harness.pollNextMinute(() => harness.submit({ form: 1 }));
    await harness.pollFor(5 * MINUTE);
    await harness.expectEachOnce();
  },
);
