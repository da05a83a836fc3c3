/** Several measurements of one thing. */
export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

/** The median of values, with the lowest and the highest. */
export function spreadOf(values: number[]): Spread {
  return {
    median: rounded(median(values)),
    lowest: rounded(Math.min(...values)),
    highest: rounded(Math.max(...values)),
  };
}

/** How many times as large values are as others of the same rounds; the median is that of the medians. */
export function ratioOf(values: number[], base: number[]): Spread {
  const ratios = values.map((value, round) => value / (base[round] ?? NaN));
  return { ...spreadOf(ratios), median: rounded(median(values) / median(base)) };
}

/** The same ratio, read from the other side. */
export function inverse(spread: Spread | undefined): Spread | undefined {
  if (spread === undefined) return undefined;
  const { median: middle, lowest, highest } = spread;
  return { median: rounded(1 / middle), lowest: rounded(1 / highest), highest: rounded(1 / lowest) };
}

/** The arithmetic mean. */
export function mean(values: number[]): number {
  return rounded(values.reduce((sum, value) => sum + value, 0) / values.length);
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** More digits would say nothing. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
