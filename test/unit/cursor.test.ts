import fc from 'fast-check';

import type { Row } from '../../nodes/NeetoForm/api/parse';
import { PollBatch, type Cursor } from '../../nodes/NeetoForm/polling/cursor';

const rowsAt = (times: number[]): Row[] =>
  times.toSorted((a, b) => a - b).map((ms, index) => ({ id: `id-${index}`, createdMs: ms, data: {} }));

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
        const shown = rows.filter((row) => row.createdMs >= cursor.watermark);
        batch.add(shown);
        batch.markRead(Math.max(0, ...shown.map(({ createdMs }) => createdMs)));
        const added = batch.submissions();
        const kept = added.slice(0, Math.max(0, added.length - deferred));
        batch.keep(kept.length);
        expect(batch.submissions()).toEqual(kept);
        emitted.push(...kept.map(({ id }) => id));
        const next = batch.cursor();
        const isForgotten = (row: Row) => next.watermark > row.createdMs || next.seenIds.has(row.id);
        expect([batch.size, next.watermark >= cursor.watermark]).toEqual([kept.length, true]);
        expect(added.slice(kept.length).filter(isForgotten)).toEqual([]);
        cursor = next;
      }
      expect(emitted.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
    }),
    { numRuns: 500 },
  );
});

describe('a batch', () => {
  const batchOf = (seenIds: Array<[id: string, ms: number]> = [], quota = Infinity, lookbackMs = 10) =>
    new PollBatch({ watermark: 0, seenIds: new Map(seenIds) }, { quota, lookbackMs });
  const idsOf = (batch: PollBatch) => batch.submissions().map(({ id }) => id);

  it('holds its submissions oldest first, whatever the order in which they were read', () => {
    const batch = batchOf();
    batch.add(rowsAt([3, 1, 2]).toReversed());
    expect(idsOf(batch)).toEqual(['id-0', 'id-1', 'id-2']);
  });

  it('holds at most as many as may be collected, the first ones', () => {
    const batch = batchOf([], 2);
    batch.add(rowsAt([1, 2]));
    expect(batch.isFull).toBe(false);
    batch.add(rowsAt([1, 2, 3]));
    expect([idsOf(batch), batch.isFull, batch.hasTooManyIds]).toEqual([['id-0', 'id-1'], true, false]);
  });

  it.each<[what: string, seenIds: Array<[string, number]>, rows: number[]]>([
    ['known', [['known', 100]], []],
    ['read', [], [100, 50]],
    ['known, with an earlier one read', [['known', 100]], [50]],
  ])("goes by the newest submission %s when the service's time is not known", (_, seenIds, rows) => {
    const batch = batchOf(seenIds);
    batch.add(rowsAt(rows).toReversed());
    batch.markRead(200);
    expect(batch.cursor().watermark).toBe(90);
  });

  it.each<[what: string, known: number, read: number, serverTime: number | undefined, added: number]>([
    ['known IDs within the look-back', 1_995, 0, 100, 5],
    ['IDs that were read, within the look-back', 0, 1_995, 100, 5],
    ['not for earlier IDs', 0, 0, 100, 10],
    // Nothing newer would be read then, so that IDs would never leave the look-back.
    ["not when the service's time is unknown", 1_995, 0, undefined, 10],
  ])('makes submissions wait for 2,000 IDs within the look-back: %s', (_, known, read, serverTime, added) => {
    const early = rowsAt(Array.from({ length: 3_000 }, () => 90)).map((row) => ({ ...row, id: `early-${row.id}` }));
    const batch = batchOf(Array.from({ length: known }, (_id, index) => [`known-${index}`, 95]));
    batch.noteServerTime(serverTime);
    batch.add(early);
    batch.add(rowsAt(Array.from({ length: read }, () => 95)).map((row) => ({ ...row, id: `read-${row.id}` })));
    const before = batch.size;
    batch.add(rowsAt(Array.from({ length: 10 }, () => 95)));
    expect([batch.size - before, batch.hasTooManyIds]).toEqual([added, added < 10]);
  });
});
