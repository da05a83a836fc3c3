import { MINUTE, type PollOutcome } from './outcome';
import { beginActive, harness } from './triggerHarness';

describe.each(['memory', 'durable'] as const)('with cursors kept in %s mode', (scheduler) => {
  beforeEach(async () => {
    await beginActive({ scheduler });
    await harness.pollNextMinute();
    harness.insert();
  });

  it('a poll while n8n stores what another one emitted repeats nothing, and leaves an own state to n8n', async () => {
    let second: PollOutcome | undefined;
    const beforeStoring = async () => {
      // The workflow is loaded anew.
      harness.workflow.change({});
      harness.advance(4 * MINUTE);
      second = await harness.poll();
    };
    expect((await harness.poll({ beforeStoring })).ids).toEqual(harness.inserted);
    expect(second).toMatchObject({ ids: null, error: undefined });
    if (scheduler === 'durable') expect(second).toMatchObject({ requests: [], staticData: second?.staticDataBefore });
    await harness.expectEachOnce();
  });

  // n8n's timers execute what a poll emits as long as the process lives.
  const isAgain = scheduler === 'durable';
  it(`what n8n has not stored in the end is ${isAgain ? '' : 'not '}emitted again, whatever the clock says`, async () => {
    expect((await harness.poll({ stored: 'nothing' })).ids).toEqual(harness.inserted);
    harness.workflow.change({});
    harness.time.skew = -MINUTE;
    expect((await harness.poll()).ids).toBeNull();
    harness.advance(5 * MINUTE);
    expect((await harness.poll()).ids).toEqual(isAgain ? harness.inserted : null);
  });
});

it('emits again what n8n did not store in a crash, also in the first poll of another workspace', async () => {
  await beginActive({ scheduler: 'durable' });
  await harness.pollNextMinute(() => harness.insert());
  harness.workflow.change({ credentials: { neetoFormApi: { id: 'elsewhere', name: 'Another' } } });
  await harness.activate();
  const batch = [harness.insert(), harness.insert()];
  expect((await harness.poll({ stored: 'workflow' })).ids).toEqual(batch);
  await harness.restart();
  expect((await harness.pollNextMinute()).ids).toEqual(batch);
});
