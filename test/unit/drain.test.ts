import type { Submission } from '../../nodes/NeetoForm/api/types';
import { Harvest } from '../../nodes/NeetoForm/polling/cursor';
import { drain } from '../../nodes/NeetoForm/polling/drain';

const AT = Date.parse('2026-03-01T12:00:00Z');

/** Submissions of one instant, by the place they have in a list that does not change. */
const rows = (first: number, last: number): Submission[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    id: `r${first + index}`,
    created_at: new Date(AT).toISOString(),
  }));

it('reads a tie once more when no total would tell of a row that comes and goes and hides another from two passes', async () => {
  // r0 is there for page 1 and gone for page 2, twice: r100 moves to page 1 after that was read.
  const hidden = [rows(0, 99), rows(101, 149), []];
  const shown = [rows(1, 100), rows(101, 149), []];
  const answers = [...hidden, ...hidden, ...shown, ...shown, ...shown, []];
  const harvest = new Harvest({ c: AT, seen: new Map() }, { room: { left: 1_000 }, lookbackMs: 0 });
  const ask = async () => await Promise.resolve({ rows: answers.shift() ?? [], serverTime: AT + 3_600_000 });
  const clock = {
    now: () => 0,
    sleep: async () => await Promise.resolve(),
    timeout: () => new AbortController().signal,
  };
  await expect(drain({ ask, harvest, clock, deadline: 1 }, AT)).resolves.toBe(true);
  expect(harvest.taken().map(({ id }) => id)).toContain('r100');
  expect(harvest.taken()).toHaveLength(150);
});
