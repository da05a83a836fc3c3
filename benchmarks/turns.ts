import type { Harness, Sample } from './harness.ts';

/** One of the things that are measured in turns. */
export interface Case {
  subject: string;
  /** How much of it: submissions or forms, as the measurement says. */
  size: number;
  turn(): Promise<Sample>;
}

/** What all cases of a measurement have in common. */
export interface Measurement {
  measurement: string;
  /** How long the service takes for each response. */
  latencyMs: number;
  rounds: number;
}

/** What a case cost. */
export interface Result extends Measurement, Pick<Case, 'subject' | 'size'> {
  /** The time of each round; depends on the machine. */
  ms: number[];
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
  return measured.map(({ subject, size, samples }) => ({
    ...measurement,
    subject,
    size,
    ms: samples.map(({ ms }) => Number(ms.toPrecision(4))),
    requests: samples.reduce((sum, { requests }) => sum + requests, 0) / samples.length,
    peakBytes: samples[0]?.peakBytes ?? NaN,
  }));
}

/** Several measurements of one thing. */
export interface Spread {
  median: number;
  lowest: number;
  highest: number;
}

/** The median of the rounds, with the lowest and the highest. */
export function spreadOf(values: number[]): Spread {
  return { median: median(values), lowest: Math.min(...values), highest: Math.max(...values) };
}

/** How many times as long a result took as another one of the same rounds; the median is that of the medians. */
export function ratioOf({ ms }: Result, base: Result): Spread {
  const ratios = ms.map((value, round) => value / (base.ms[round] ?? NaN));
  return { ...spreadOf(ratios), median: median(ms) / median(base.ms) };
}

function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}
