import { createHash } from 'node:crypto';

/** A source of numbers that is the same for the same seed. */
export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: string) {
  let count = 0;
  const digits = () => createHash('sha256').update(`${seed} ${count++}`).digest('hex');
  return {
    /** An integer of 32 bits, 0 to 4294967295. */
    next: () => Number.parseInt(digits().slice(0, 8), 16),
    /** A UUID-shaped string (version 4). */
    uuid: () => digits().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-8$4-$5'),
  };
}

/** The same items in an order that `random` decides; the argument is left as it is. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}
