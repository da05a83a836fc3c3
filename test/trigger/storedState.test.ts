import { compare, DAY, EACH_ONCE, LOOK, MINUTE, type PollOutcome, SECOND } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

it.each(['memory', 'scheduler', 'durable'] as const)(
  'a poll while n8n stores what another one emitted repeats nothing, and leaves an own state to n8n (%s)',
  async (scheduler) => {
    await harness.beginActive({ scheduler, triggerOn: 'allActive', count: 1 });
    // The trigger remembers something new after some of these polls. The scheduler does not store it.
    await harness.pollFor(20 * MINUTE);
    harness.submit();
    let second: PollOutcome | undefined;
    const beforeStoring = async () => {
      harness.advance(5 * MINUTE - SECOND);
      second = await harness.poll();
    };
    expect((await harness.poll({ beforeStoring })).ids).toEqual(harness.submitted);
    expect(second).toMatchObject({ ids: null, error: undefined });
    if (scheduler === 'durable') expect(second).toMatchObject({ requests: [], staticData: second?.staticDataBefore });
    await harness.expectEachOnce();
  },
);

it('a form starts after its newest page: of 120 submissions of one millisecond, none is new', async () => {
  await harness.begin();
  const createdAt = harness.now - MINUTE;
  harness.submitMany(120, () => ({ createdAt }));
  await harness.activate();
  await harness.expectEachOnce([harness.submit()]);
});

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

it('emits again the first batch if n8n could not store it, also when the trigger is renamed before its next poll', async () => {
  await harness.beginActive({ scheduler: 'durable' });
  const batch = harness.submitMany(2);
  expect((await harness.poll({ stored: 'workflow' })).ids).toEqual(batch);
  harness.workflow.change({ name: 'New answers' });
  const { ids } = await harness.activate('update');
  expect([...(ids ?? []), ...((await harness.pollNextMinute()).ids ?? [])]).toEqual(batch);
});

it.each([0, 1])(
  'emits again what n8n did not store in a crash, also when the trigger (which had delivered %i before) is renamed before its next poll',
  async (before) => {
    await harness.beginActive({ scheduler: 'durable' });
    await harness.pollNextMinute(() => harness.submitMany(before));
    const batch = harness.submitMany(2);
    expect((await harness.poll({ stored: 'workflow' })).ids).toEqual(batch);
    await harness.restart();
    harness.workflow.change({ name: 'New answers' });
    const { ids } = await harness.activate('update');
    expect([...(ids ?? []), ...((await harness.pollNextMinute()).ids ?? [])]).toEqual(batch);
  },
);

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

describe('the state', () => {
  /** How many IDs of submissions are stored. */
  const knownIds = () => new Set(JSON.stringify(harness.workflow.staticDataOf()).match(/[\w-]{36}(?=":\d)/g)).size;

  it.each([
    [1, 2_500, 2_000],
    [12, 2_100, 20_000],
  ])('of %i form(s) with %i submissions each holds about %i IDs', async (count, each, most) => {
    await harness.beginActive({ triggerOn: 'allActive', count, options: { maxSubmissions: 100_000 } });
    harness.advance(10 * MINUTE);
    for (const id of harness.forms) harness.submitSpread(each, 200, id);
    await harness.pollUntilEmpty();
    await harness.pollFor(LOOK);
    expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
    expect(knownIds()).toBeGreaterThan(0.99 * most);
    expect(knownIds()).toBeLessThanOrEqual(most);
    // An ID with its time takes 53 bytes. All of it is stored twice.
    expect(harness.stateBytes).toBeLessThan(2 * 1.05 * most * 53);
  });

  it('of 210 forms with a page of submissions each holds at most 20,000 IDs from the start', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 210 });
    for (const id of harness.forms) harness.submitSpread(100, 200, id);
    await harness.activate();
    expect(knownIds()).toBeGreaterThan(0.95 * 20_000);
    expect(knownIds()).toBeLessThanOrEqual(20_000);
    await harness.expectEachOnce([harness.submit()]);
  });

  it.each([
    [29, 'goes on'],
    [31, 'starts with new submissions'],
  ])('of a trigger that was removed is kept for a month: put back after %i days, it %s', async (days, what) => {
    await harness.beginActive();
    await harness.pollNextMinute(() => harness.submit());
    const { id } = harness.workflow.nodeOf();
    harness.workflow.change({ id: 'replacement' });
    await harness.activate('update');
    harness.advance(days * DAY);
    const [meanwhile = ''] = (await harness.pollNextMinute(() => harness.submit())).ids ?? [];
    // The state of the first trigger is only where n8n has stored it.
    await harness.restart();
    harness.workflow.change({ id });
    harness.delivered = [];
    await harness.activate('update');
    const next = harness.submit();
    await harness.expectEachOnce(what === 'goes on' ? [meanwhile, next] : [next]);
  });

  it('has nothing of triggers that were removed a month ago', async () => {
    await harness.beginActive();
    for (let nth = 0; nth < 10; nth++) {
      harness.workflow.change({ id: `node-${nth}` });
      await harness.activate();
      await harness.pollNextMinute(() => harness.submitMany(100));
    }
    harness.advance(31 * DAY);
    await harness.pollNextMinute(() => harness.submit());
    // Each of the ten knew a hundred submissions or more: about 5 kB, stored twice.
    expect(harness.stateBytes).toBeLessThan(10_000);
    expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
  });

  it('keeps no state of forms that were deleted a week ago', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 20 });
    harness.submitToAll();
    await harness.pollUntilEmpty();
    for (const id of harness.forms.slice(5)) harness.emulator.workspace.deleteForm(id);
    await harness.pollFor(2 * MINUTE);
    harness.advance(7 * DAY);
    await harness.pollFor(2 * MINUTE);
    harness.submit({ form: 3 });
    await harness.expectEachOnce();
    const stored = JSON.stringify(harness.workflow.staticDataOf());
    expect(harness.forms.filter((form) => stored.includes(form))).toEqual(harness.forms.slice(0, 5));
    expect(harness.workflow.reported).toEqual([]);
  });
});
