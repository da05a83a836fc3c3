const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const;

/** A duration in words, rounded up: 600,000 ms are `10 minutes`. It is in seconds up to 90 seconds, in minutes up to 90 minutes, and so on. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms <= 90 * each) ?? UNITS[3];
  const count = Math.ceil(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Joins sentences with blanks, and leaves out those that are ''. */
export function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
