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

const rounds = fc.array(
  fc.record<Round>({
    serverTime: fc.option(fc.nat(60), { nil: undefined }),
    quota: fc.integer({ min: 1, max: 30 }),
    deferred: fc.nat(30),
  }),
  { maxLength: 8 },
);
/** Times within 40 ms: many are equal. */
const times = fc.array(fc.nat(40), { maxLength: 40 });

it('a submission that a poll leaves to a later one is emitted once by then; the watermark never goes back or past it', () => {
  fc.assert(
    fc.property(times, rounds, fc.nat(50), (created, planned, lookbackMs) => {
      const rows = rowsAt(created);
      const emitted: string[] = [];
      let cursor: Cursor = { watermark: 0, seenIds: new Map() };
      for (const { serverTime, quota, deferred } of [...planned, { serverTime: 60, quota: 100, deferred: 0 }]) {
        const batch = new PollBatch(cursor, { quota, lookbackMs });
        batch.noteServerTime(serverTime);
        const shown = rows.filter((row) => createdMs(row) >= cursor.watermark);
        batch.add(shown);
        batch.markRead(Math.max(0, ...shown.map(createdMs)));
        const added = batch.submissions();
        const kept = added.slice(0, Math.max(0, added.length - deferred));
        batch.keep(kept.length);
        expect(batch.submissions()).toEqual(kept);
        emitted.push(...kept.map(({ id }) => id));
        const next = batch.cursor();
        const isForgotten = (row: Submission) => next.watermark > createdMs(row) || next.seenIds.has(row.id);
        expect([batch.size, next.watermark >= cursor.watermark]).toEqual([kept.length, true]);
        expect(added.slice(kept.length).filter(isForgotten)).toEqual([]);
        cursor = next;
      }
      expect(emitted.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    }),
    { numRuns: 1_000 },
  );
});
