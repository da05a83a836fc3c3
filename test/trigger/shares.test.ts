import { compare, DAY, EACH_ONCE, HOUR, idsOf, LOOK, MINUTE, SECOND } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

describe('Max Submissions', () => {
  it('gives a form that needs less than its share all of it, however busy another one is', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 4, options: { maxSubmissions: 5 } });
    for (let minute = 1; minute <= 20; minute++) {
      await harness.pollNextMinute(() => {
        harness.submitMany(6);
        for (const form of [1, 2, 3]) harness.submit({ form });
      });
      for (const count of harness.counts.slice(1)) expect(count).toBeGreaterThanOrEqual(minute - 2);
    }
    expect(harness.delivered).toHaveLength(100);
  });

  it('leaves late finishers to the next poll, not to the next look at the window', async () => {
    await harness.beginActive({ options: { maxSubmissions: 5 } });
    harness.emulator.quirks.pageSizeCap = 5;
    await harness.pollFor(LOOK);
    const ids = harness.submitMany(8, (index) => ({ createdAt: harness.now - HOUR + index * SECOND }));
    harness.advance(LOOK);
    expect(idsOf([await harness.poll(), await harness.pollNextMinute()])).toEqual(ids);
  });
});

describe('the state', () => {
  it('holds at most 2,000 IDs of a form, and about 20,000 of all', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 12, options: { maxSubmissions: 100_000 } });
    harness.advance(10 * MINUTE);
    for (const id of harness.forms) harness.submitSpread(2_100, 200, id);
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
    // An ID with its time takes 53 bytes. All of it is stored twice.
    expect(harness.stateBytes).toBeLessThan(2 * 21_000 * 53);
  });

  it('keeps what belonged to triggers that were removed for a month', async () => {
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
});
