import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Slots } from '../../nodes/NeetoForm/api/slots';

const tasks = fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() }), { maxLength: 30 });

it('runs tasks in the order of the calls, so many at once, whether they fail or not', async () => {
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 6 }), tasks, async (limit, given) => {
    const slots = new Slots(limit);
    const begun: number[] = [];
    let [running, most] = [0, 0];
    const run = async (index: number, { turns, fails }: (typeof given)[number]) => {
      begun.push(index);
      most = Math.max(most, ++running);
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      running--;
      if (fails) throw new Error(`${index}`);
      return index;
    };
    const all = given.map(async (task, index) => await slots.run(async () => await run(index, task)));
    const ends = (await Promise.allSettled(all)).map((end) => ('value' in end ? end.value : String(end.reason)));
    expect(begun).toEqual(given.map((_, index) => index));
    expect(most).toBeLessThanOrEqual(limit);
    expect(ends).toEqual(given.map(({ fails }, index) => (fails ? `Error: ${index}` : index)));
  });
  await fc.assert(property);
});

it('begins no task while more are running than a limit that became smaller allows', async () => {
  const slots = new Slots(3);
  const ends: Array<() => void> = [];
  const all = Array.from({ length: 5 }, async () => {
    await slots.run(async () => await new Promise<void>((resolve) => void ends.push(resolve)));
  });
  await nextTurn();
  slots.limit = 1;
  const begun: number[] = [];
  for (let index = 0; index < all.length; index++) {
    begun.push(ends.length);
    ends[index]?.();
    await nextTurn();
  }
  expect(begun).toEqual([3, 3, 3, 4, 5]);
  await Promise.all(all);
});
