/** How one thing compares with another, measured side by side. */
export interface Ratio {
  /** Of the medians. */
  median: number;
  /** The smallest and the greatest of the rounds. */
  lowest: number;
  highest: number;
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1];
  const high = sorted[Math.floor(middle)];
  if (low === undefined || high === undefined) throw new Error('There is no median of nothing');
  return (low + high) / 2;
}

/** How many times as large the values are as those of the same rounds that they are compared with. */
export function ratio(values: number[], base: number[]): Ratio {
  const rounds = values.map((value, round) => value / (base[round] ?? NaN));
  return { median: median(values) / median(base), lowest: Math.min(...rounds), highest: Math.max(...rounds) };
}
