import fc from 'fast-check';

import { createdMs } from '../../nodes/NeetoForm/api/parse';
import type { Submission } from '../../nodes/NeetoForm/api/types';
import { Harvest, type Cursor } from '../../nodes/NeetoForm/polling/cursor';

const rowsAt = (times: number[]): Submission[] =>
  times.toSorted((a, b) => a - b).map((ms, index) => ({ id: `id-${index}`, created_at: new Date(ms).toISOString() }));

/** What a poll reads and how much of it is put back. */
interface Round {
  serverTime: number | undefined;
  room: number;
  back: number;
}

const round = fc.record<Round>({
  serverTime: fc.option(fc.nat(60), { nil: undefined }),
  room: fc.integer({ min: 1, max: 30 }),
  back: fc.nat(30),
});

describe('submissions that were put back', () => {
  it('come again, each once, with nothing that was handed out, and the cursor never goes back or past them', () => {
    fc.assert(
      // Times within 40 ms: many are equal.
      fc.property(
        fc.array(fc.nat(40), { maxLength: 40 }),
        fc.array(round, { maxLength: 8 }),
        fc.nat(50),
        (times, rounds, lookbackMs) => {
          const rows = rowsAt(times);
          const handedOut: string[] = [];
          let cursor: Cursor = { c: 0, seen: new Map() };
          const last: Round = { serverTime: 60, room: 100, back: 0 };
          for (const { serverTime, room: left, back } of [...rounds, last]) {
            const room = { left };
            const harvest = new Harvest(cursor, { room, lookbackMs });
            harvest.noteServerTime(serverTime);
            const shown = rows.filter((row) => createdMs(row) >= cursor.c);
            harvest.take(shown);
            harvest.markRead(shown.length === 0 ? 0 : Math.max(...shown.map(createdMs)));
            const taken = harvest.taken();
            const returned = taken.splice(Math.max(0, taken.length - back));
            harvest.giveBack(returned);
            expect(harvest.taken()).toEqual(taken);
            expect(room.left).toBe(left - taken.length);
            handedOut.push(...taken.map(({ id }) => id));
            const next = harvest.cursor();
            expect(next.c).toBeGreaterThanOrEqual(cursor.c);
            for (const row of returned) {
              expect(next.c).toBeLessThanOrEqual(createdMs(row));
              expect(next.seen.has(row.id)).toBe(false);
            }
            cursor = next;
          }
          expect(handedOut.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
