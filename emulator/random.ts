/** A source of numbers that is the same for the same seed. */
export interface Random {
  /** An integer of 32 bits, 0 to 4294967295. */
  next(): number;
  /** A UUID-shaped string (version 4). */
  uuid(): string;
}

/**
 * A seeded generator (mulberry32).
 * @param seed any integer; the lowest 32 bits count
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const uuid = (): string =>
    [next(), next(), next(), next()]
      .map(hex8)
      .join('')
      .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
  return { next, uuid };
}

/** The same items in an order that `random` decides; the argument is left as it is. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, rank: random.next() }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

/** Eight hexadecimal digits of a 32-bit number. */
export function hex8(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
