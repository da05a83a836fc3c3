import { createRandom } from '../../../emulator/random.ts';

/** Decisions that repeat themselves exactly when they are given the same seed. */
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

/** The seed to use: the one asked for in ENDURANCE_SEED, or a new one. */
export function seedOfRun(): number {
  const asked = process.env['ENDURANCE_SEED'];
  return asked === undefined ? Date.now() % 1_000_000 : Number(asked);
}
