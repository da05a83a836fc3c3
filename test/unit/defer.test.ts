import fc from 'fast-check';

import { createdMs, type Submission } from '../../nodes/NeetoForm/api/parse';
import { PollBatch, type Cursor } from '../../nodes/NeetoForm/polling/cursor';

const rowsAt = (times: number[]): Submission[] =>
  times.toSorted((a, b) => a - b).map((ms, index) => ({ id: `id-${index}`, created_at: new Date(ms).toISOString() }));

/** What a poll reads, and how many submissions it leaves to a later one. */
interface Round {
  serverTime: number | undefined;
  quota: number;
  deferred: number;
}

const round = fc.record<Round>({
  serverTime: fc.option(fc.nat(60), { nil: undefined }),
  quota: fc.integer({ min: 1, max: 30 }),
  deferred: fc.nat(30),
});

describe('a submission that a poll leaves to a later one', () => {
  it('is emitted once by then, and the watermark never goes back or past it', () => {
    fc.assert(
      // Times within 40 ms: many are equal.
      fc.property(
        fc.array(fc.nat(40), { maxLength: 40 }),
        fc.array(round, { maxLength: 8 }),
        fc.nat(50),
        (times, rounds, lookbackMs) => {
          const rows = rowsAt(times);
          const emitted: string[] = [];
          let cursor: Cursor = { watermark: 0, seenIds: new Map() };
          const last: Round = { serverTime: 60, quota: 100, deferred: 0 };
          for (const { serverTime, quota, deferred } of [...rounds, last]) {
            const batch = new PollBatch(cursor, { quota, lookbackMs });
            batch.noteServerTime(serverTime);
            const shown = rows.filter((row) => createdMs(row) >= cursor.watermark);
            batch.add(shown);
            batch.markRead(shown.length === 0 ? 0 : Math.max(...shown.map(createdMs)));
            const added = batch.submissions();
            const count = Math.max(0, added.length - deferred);
            batch.keep(count);
            expect(batch.submissions()).toEqual(added.slice(0, count));
            expect(batch.size).toBe(count);
            emitted.push(...batch.submissions().map(({ id }) => id));
            const next = batch.cursor();
            expect(next.watermark).toBeGreaterThanOrEqual(cursor.watermark);
            for (const row of added.slice(count)) {
              expect(next.watermark).toBeLessThanOrEqual(createdMs(row));
              expect(next.seenIds.has(row.id)).toBe(false);
            }
            cursor = next;
          }
          expect(emitted.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
