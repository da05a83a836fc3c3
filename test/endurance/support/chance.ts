import { createRandom } from '../../../emulator/random.ts';

/** Random decisions that are the same for the same seed. */
export interface Chance {
  /** An integer from `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export function createChance(seed: number): Chance {
  const random = createRandom(seed);
  const below = (limit: number): number => Math.floor((random.next() / 2 ** 32) * limit);
  return {
    between: (from, to) => from + below(to - from + 1),
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}
