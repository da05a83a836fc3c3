import type { ContenderName } from './contenders/contender.ts';
import type { Results } from './results.ts';

/** A figure that was promised, and what became of it. */
export interface Figure {
  what: string;
  bound: 'at least' | 'at most';
  wanted: number;
  /** Undefined when this run did not measure it. */
  measured: number | undefined;
  unit: 'times' | 'requests' | 'ms' | 'kB';
  isReached: boolean | undefined;
  /** How far inside the bound, or beyond it when negative, as a part of the bound. */
  margin: number | undefined;
}

const BIG = { rows: 10_000, latencyMs: 50 };

/** The promised figures, from what was measured. */
export function figuresOf(results: Results): Figure[] {
  const at50 = '10,000 submissions, 50 ms';
  const growth = (latencyMs: number): number | undefined =>
    results.growth.find((entry) => entry.rows === 100_000 && entry.latencyMs === latencyMs)?.timePerItem.median;
  const idleOfMillion = results.idlePolls.find(({ rows }) => rows === 1_000_000);
  const costliestBacklog = worst(results.backlogs.map(({ requests, requestsAllowed }) => requests / requestsAllowed));
  const inFlight = worst(
    results.inputItems.filter(({ name }) => name === 'ours').map(({ maxInFlight }) => maxInFlight),
  );

  const tarballKb = results.weight && results.weight.tarballBytes / 1000;

  return [
    figure(`HTTP Request node, 100 a page / our node (${at50})`, 'at least', 3.5, timeToOurs(results, 'http100', BIG)),
    figure(
      `HTTP Request node, its default page size / our node (${at50})`,
      'at least',
      10,
      timeToOurs(results, 'httpDefault', BIG),
    ),
    figure(
      `our node / bare client, as many requests at once (${at50})`,
      'at most',
      1.3,
      timeToBare(results, 'ours', BIG),
    ),
    figure(
      'our node / HTTP Request node, 100 a page (10,000 submissions, no latency)',
      'at most',
      1,
      inverse(timeToOurs(results, 'http100', { ...BIG, latencyMs: 0 })),
    ),
    figure('time of an idle poll, 1,000,000 / 1,000 submissions', 'at most', 1.2, idleOfMillion?.time.median),
    figure(
      'requests of an idle poll',
      'at most',
      1,
      worst(results.idlePolls.map(({ requests }) => requests)),
      'requests',
    ),
    figure('time per submission, 100,000 / 1,000 (50 ms)', 'at most', 1.2, growth(50)),
    figure('time per submission, 100,000 / 1,000 (no latency)', 'at most', 1.2, growth(0)),
    figure('requests for a backlog / those allowed', 'at most', 1, costliestBacklog),
    figure('requests in flight, whatever the number of input items', 'at most', 4, inFlight, 'requests'),
    figure('loading both nodes on top of n8n-workflow', 'at most', 30, results.weight?.loadMs, 'ms'),
    figure('tarball', 'at most', 60, tarballKb, 'kB'),
  ];
}

function figure(
  what: string,
  bound: Figure['bound'],
  wanted: number,
  measured: number | undefined,
  unit: Figure['unit'] = 'times',
): Figure {
  if (measured === undefined) return { what, bound, wanted, measured, unit, isReached: undefined, margin: undefined };
  const margin = bound === 'at least' ? measured / wanted - 1 : 1 - measured / wanted;
  return { what, bound, wanted, measured, unit, isReached: margin >= 0, margin };
}

interface Place {
  rows: number;
  latencyMs: number;
}

function timeToOurs(results: Results, name: ContenderName, place: Place): number | undefined {
  return standing(results, name, place)?.timeToOurs.median;
}

function timeToBare(results: Results, name: ContenderName, place: Place): number | undefined {
  return standing(results, name, place)?.timeToBare.median;
}

function standing({ contest }: Results, name: ContenderName, { rows, latencyMs }: Place) {
  const cell = contest.find((candidate) => candidate.rows === rows && candidate.latencyMs === latencyMs);
  return cell?.standings.find((candidate) => candidate.name === name);
}

function inverse(value: number | undefined): number | undefined {
  return value === undefined ? undefined : 1 / value;
}

function worst(values: number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}
