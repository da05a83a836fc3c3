import type { Harness, Sample } from './harness.ts';

/** One of the things that are measured in turns. */
export interface Case {
  subject: string;
  /** How much of it: submissions or forms, as the measurement says. */
  size: number;
  turn(): Promise<Sample>;
}

/** Several measurements of one thing. */
export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

/** What all cases of a measurement have in common. */
export interface Measurement {
  measurement: string;
  /** How long the service takes for each response. */
  latencyMs: number;
  rounds: number;
}

/** What a case cost, over all rounds. */
export interface Result extends Measurement {
  subject: string;
  size: number;
  /** The time to that of the measurement's first case, round by round. */
  time: Spread;
  /** Depends on the machine. */
  seconds: Spread;
  /** Per turn, on average. */
  requests: number;
  /** How much the process grew in the first round, at its highest. */
  peakBytes: number;
}

/**
 * Each case has its turn in every round, another case first in each: whatever else the machine does meets all of them. The service has
 * the latency during the turns only.
 */
export async function measureInTurns({ service }: Harness, measurement: Measurement, cases: Case[]): Promise<Result[]> {
  const measured = cases.map((each) => ({ ...each, samples: new Array<Sample>() }));
  service.quirks.latencyMs = measurement.latencyMs;
  for (let round = 0; round < measurement.rounds; round += 1) {
    const first = round % measured.length;
    for (const each of [...measured.slice(first), ...measured.slice(0, first)]) each.samples.push(await each.turn());
  }
  service.quirks.latencyMs = 0;
  const times = measured.map(({ samples }) => samples.map(({ ms }) => ms));
  return measured.map(({ subject, size, samples }, index) => ({
    ...measurement,
    subject,
    size,
    time: ratioOf(times[index] ?? [], times[0] ?? []),
    seconds: spreadOf(samples.map(({ ms }) => ms / 1_000)),
    requests: rounded(samples.reduce((sum, { requests }) => sum + requests, 0) / samples.length),
    peakBytes: samples[0]?.peakBytes ?? NaN,
  }));
}

/** The same ratio, read from the other side. */
export function inverse(spread: Spread | undefined): Spread | undefined {
  if (spread === undefined) return undefined;
  const { median: middle, lowest, highest } = spread;
  return { median: rounded(1 / middle), lowest: rounded(1 / highest), highest: rounded(1 / lowest) };
}

/** The median of values, with the lowest and the highest. */
function spreadOf(values: number[]): Spread {
  return {
    median: rounded(median(values)),
    lowest: rounded(Math.min(...values)),
    highest: rounded(Math.max(...values)),
  };
}

/** How many times as large values are as others of the same rounds; the median is that of the medians. */
function ratioOf(values: number[], base: number[]): Spread {
  const ratios = values.map((value, round) => value / (base[round] ?? NaN));
  return { ...spreadOf(ratios), median: rounded(median(values) / median(base)) };
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
