import { HOUR, idsOf, LOOK, SECOND } from './outcome';
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

  it.each([
    [0, 1],
    [1, 0],
  ])(
    'goes to form %i with news before a late finisher of form %i, although that was served longer ago',
    async (busy, idle) => {
      await harness.beginActive({ triggerOn: 'allActive', count: 2, options: { maxSubmissions: 1 } });
      const old = harness.submit({ form: idle });
      await harness.pollUntilEmpty();
      harness.advance(LOOK);
      await harness.poll();
      await harness.pollNextMinute(() => harness.submit({ form: busy }));
      harness.advance(LOOK);
      const late = harness.submit({ form: idle, createdAt: harness.now - HOUR });
      // With the same count as before, the form has no news.
      harness.emulator.workspace.deleteSubmission(harness.forms[idle] ?? '', old);
      const next = harness.submit({ form: busy });
      expect(idsOf([await harness.poll(), await harness.pollNextMinute()])).toEqual([next, late]);
    },
  );

  it('gives a busy form all that forms with few new submissions leave', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 4, options: { maxSubmissions: 400 } });
    harness.advance(LOOK);
    harness.submitSpread(600, SECOND, 1);
    for (const form of [0, 2, 3]) harness.submit({ form });
    await harness.poll();
    expect(harness.counts).toEqual([1, 397, 1, 1]);
  });

  it('as large as a page takes one request', async () => {
    await harness.beginActive({ options: { maxSubmissions: 100 } });
    harness.advance(LOOK);
    const ids = harness.submitSpread(300, SECOND);
    expect(await harness.poll()).toMatchObject({ ids: ids.slice(0, 100), requests: { length: 1 } });
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
