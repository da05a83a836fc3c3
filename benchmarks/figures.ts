import { titles } from './clients.ts';
import { RANGE, allowedRequests } from './measurements.ts';
import { type Result, type Spread, inverse } from './turns.ts';

/** A line of the table. */
export interface Figure {
  name: string;
  unit: '×' | 's' | '';
  /** Undefined when this run did not measure it. */
  measured: number | Spread | undefined;
  target?: Target;
  isMet?: boolean;
}

type Target = { atLeast: number } | { atMost: number };

/** The figures of the table, with their targets. */
export function figuresOf(results: Result[]): Figure[] {
  const find = (measurement: string, latencyMs: number, size: number, subject?: string): Result | undefined =>
    results
      .filter((result) => result.measurement === measurement && result.latencyMs === latencyMs)
      .find((result) => result.size === size && (subject === undefined || result.subject === subject));
  const worst = (measurement: string, valueOf: (result: Result) => number): number | undefined => {
    const values = results.filter((result) => result.measurement === measurement).map(valueOf);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  const { node, http100, http30, undici } = titles;
  const exported = (latencyMs: number, subject: string) => find('export', latencyMs, 10_000, subject)?.time;
  const memory = (subject: string) => find('export', 0, 100_000, subject)?.peakBytes ?? NaN;
  const growth = (latencyMs: number) => find('growth', latencyMs, 100_000)?.time;
  const range = (order: string) => find('date range', 50, RANGE.size, order);
  const forms = (size: number) => find('forms', 50, size);

  return [
    figure(`10,000 submissions, 50 ms: ${http100} / this node`, '×', exported(50, http100), { atLeast: 4.5 }),
    figure(`10,000 submissions, 50 ms: ${http30} / this node`, '×', exported(50, http30), { atLeast: 13 }),
    figure(`10,000 submissions, 50 ms: this node / ${undici}`, '×', inverse(exported(50, undici)), { atMost: 1.25 }),
    figure(`10,000 submissions, no latency: this node / ${http100}`, '×', inverse(exported(0, http100)), { atMost: 1 }),
    figure('Time per submission, 50 ms: 100,000 / 1,000 submissions', '×', growth(50), { atMost: 1.2 }),
    figure('Time per submission, no latency: 100,000 / 1,000 submissions', '×', growth(0), { atMost: 1.2 }),
    figure(`100,000 submissions: memory, this node / ${undici}`, '×', known(memory(node) / memory(undici))),
    ...['oldest first', 'newest first'].flatMap((order) => [
      figure(`Date range, ${order}: loop / this node`, '×', inverse(range(order)?.time), { atLeast: 3 }),
      figure(`Date range, ${order}: requests`, '', range(order)?.requests, { atMost: RANGE.size / 100 + 4 }),
    ]),
    figure('Idle poll, 1,000,000 / 1,000 submissions: time', '×', find('idle poll', 0, 1_000_000)?.time, {
      atMost: 1.2,
    }),
    figure(
      'Idle poll, any number of submissions: requests',
      '',
      worst('idle poll', ({ requests }) => requests),
      { atMost: 1 },
    ),
    figure(
      'Backlog, any size: requests / allowed',
      '×',
      worst('backlog', (backlog) => backlog.requests / allowedRequests(backlog)),
      { atMost: 1 },
    ),
    figure('Idle poll, 500 forms, 50 ms: requests', '', forms(500)?.requests, { atMost: 5 + 500 / 8 }),
    figure('Idle poll, 500 forms, 50 ms: time', 's', forms(500)?.seconds),
    figure('Idle poll, 2,000 forms, 50 ms: requests', '', forms(2_000)?.requests),
    figure('Idle poll, 2,000 forms, 50 ms: time', 's', forms(2_000)?.seconds),
  ];
}

function known(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function figure(name: string, unit: Figure['unit'], measured: Figure['measured'], target?: Target): Figure {
  const line: Figure = { name, unit, measured, ...(target && { target }) };
  if (measured === undefined || target === undefined) return line;
  const value = typeof measured === 'number' ? measured : measured.median;
  return { ...line, isMet: 'atLeast' in target ? value >= target.atLeast : value <= target.atMost };
}
