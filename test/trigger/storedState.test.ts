import type { IDataObject } from 'n8n-workflow';
import { MINUTE } from './outcome';
import { beginActive, harness } from './triggerHarness';

const SCHEDULERS = ['memory', 'durable'] as const;

describe.each(SCHEDULERS)('with cursors kept in %s mode', (scheduler) => {
  describe('while n8n stores what a poll emitted', () => {
    let before: IDataObject;
    beforeEach(async () => {
      await beginActive({ scheduler });
      await harness.pollNextMinute();
      before = harness.workflow.staticDataOf();
      harness.insert();
      expect((await harness.poll()).ids).toEqual(harness.inserted);
    });

    it('a poll that starts from the state before repeats nothing, and leaves an own state to n8n', async () => {
      const after = harness.workflow.staticDataOf();
      harness.workflow.savedStaticData = before;
      harness.advance(4 * MINUTE);
      const outcome = await harness.poll();
      expect(outcome).toMatchObject({ ids: null, error: undefined });
      if (scheduler === 'durable') {
        expect(outcome.requests).toEqual([]);
        expect(outcome.staticData).toEqual(outcome.staticDataBefore);
        harness.workflow.savedStaticData = after;
      }
      await harness.expectEachOnce();
    });

    // n8n's timers execute what a poll emits as long as the process lives.
    const isAgain = scheduler === 'durable';
    it(`it is ${isAgain ? '' : 'not '}emitted again when n8n has not stored it in the end, whatever the clock says`, async () => {
      harness.workflow.savedStaticData = before;
      harness.time.skew = -MINUTE;
      expect((await harness.poll()).ids).toBeNull();
      harness.advance(5 * MINUTE);
      expect((await harness.poll()).ids).toEqual(isAgain ? harness.inserted : null);
    });
  });
});

it('emits again what n8n did not store in a crash, also in the first poll of another workspace', async () => {
  await beginActive({ scheduler: 'durable' });
  await harness.pollNextMinute(() => harness.insert());
  harness.workflow = harness.newWorkflow([{ credentialId: 'elsewhere' }], harness.workflow.savedStaticData);
  await harness.activate();
  const before = harness.workflow.savedStaticData;
  const batch = [harness.insert(), harness.insert()];
  expect((await harness.pollNextMinute()).ids).toEqual(batch);
  await harness.restart({ ...before, global: harness.workflow.savedStaticData.global });
  expect((await harness.pollNextMinute()).ids).toEqual(batch);
});
