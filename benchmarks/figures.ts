import { titles } from './clients.ts';
import { RANGE } from './measurements.ts';
import { type Result, type Spread, ratioOf, spreadOf } from './turns.ts';

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
  const find = (measurement: string, latencyMs: number, size: number, subject: string): Result | undefined =>
    results
      .filter((result) => result.measurement === measurement && result.latencyMs === latencyMs)
      .find((result) => result.size === size && result.subject === subject);
  const { node, http100, http30, axios, undici, trigger } = titles;
  const exported = (latencyMs: number, subject: string, size = 10_000) => find('export', latencyMs, size, subject);
  const range = (subject: string) => find('date range', 50, RANGE.size, subject);
  const [node50, node0, all, allByUndici] = [
    exported(50, node),
    exported(0, node),
    exported(0, node, 100_000),
    exported(0, undici, 100_000),
  ];
  const growth = all && node0 && spreadOf(all.ms).median / 10 / spreadOf(node0.ms).median;
  const memory = all && allByUndici && all.peakBytes / allByUndici.peakBytes;

  return [
    ratio(`10,000 submissions, 50 ms: ${http100} / this node`, exported(50, http100), node50, { atLeast: 4.5 }),
    ratio(`10,000 submissions, 50 ms: ${http30} / this node`, exported(50, http30), node50, { atLeast: 13 }),
    ratio(`10,000 submissions, 50 ms: this node / ${undici}`, node50, exported(50, undici), { atMost: 1.25 }),
    ratio(`10,000 submissions, no latency: this node / ${http100}`, node0, exported(0, http100), { atMost: 1 }),
    figure('Time per submission, no latency: 100,000 / 10,000 submissions', '×', growth, { atMost: 1.2 }),
    figure(`100,000 submissions: memory, this node / ${undici}`, '×', memory),
    ...['oldest first', 'newest first'].flatMap((order) => [
      ratio(`Date range, ${order}: loop / this node`, range(axios), range(order), { atLeast: 3 }),
      figure(`Date range, ${order}: requests`, '', range(order)?.requests, { atMost: RANGE.size / 100 + 4 }),
    ]),
    ...[500, 2_000].flatMap((size) => {
      const name = `Idle poll, ${size.toLocaleString('en-US')} forms, 50 ms`;
      const forms = find('forms', 50, size, trigger);
      return [
        figure(`${name}: requests`, '', forms?.requests, { atMost: 5 + size / 8 }),
        figure(`${name}: time`, 's', forms && spreadOf(forms.ms.map((ms) => ms / 1_000))),
      ];
    }),
  ];
}

function ratio(name: string, result: Result | undefined, base: Result | undefined, target: Target): Figure {
  return figure(name, '×', result && base && ratioOf(result, base), target);
}

function figure(name: string, unit: Figure['unit'], measured: Figure['measured'], target?: Target): Figure {
  const line: Figure = { name, unit, measured, ...(target && { target }) };
  if (measured === undefined || target === undefined) return line;
  const value = typeof measured === 'number' ? measured : measured.median;
  return { ...line, isMet: 'atLeast' in target ? value >= target.atLeast : value <= target.atMost };
}

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = figures.map(({ name, unit, measured, target, isMet }) => [
    name,
    measuredText(measured, unit),
    targetText(target, unit),
    isMet === undefined ? '' : isMet ? 'met' : '**not met**',
  ]);
  const lines = [['Figure', 'Measured', 'Target', ''], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function measuredText(measured: Figure['measured'], unit: Figure['unit']): string {
  if (measured === undefined) return 'not measured';
  if (typeof measured === 'number') return inUnit(measured, unit);
  return `${inUnit(measured.median, unit)} (${number(measured.lowest)}–${number(measured.highest)})`;
}

function targetText(target: Figure['target'], unit: Figure['unit']): string {
  if (target === undefined) return '';
  return 'atLeast' in target ? `at least ${inUnit(target.atLeast, unit)}` : `at most ${inUnit(target.atMost, unit)}`;
}

function inUnit(value: number, unit: Figure['unit']): string {
  return `${number(value)} ${unit}`.trim();
}

/** Three digits: `0.012`, `1.23`, `12.3` */
function number(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
