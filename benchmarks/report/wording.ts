import type { ContenderName } from '../contenders/contender.ts';
import type { Figure } from '../figures.ts';
import type { Ratio } from '../statistics.ts';

/** What the contenders are called in tables and charts. */
export const titles: Record<ContenderName, string> = {
  ours: 'NeetoForm node',
  http100: 'HTTP Request node, 100 a page',
  httpDefault: 'HTTP Request node, 30 a page',
  axios: 'axios, one by one',
  bare: 'bare undici, 4 at once',
};

/** `1.23`, `12.3`, `123`, `1,234` */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** `3.61 × (3.5–3.7)` */
export function spread({ median, lowest, highest }: Ratio): string {
  return `${number(median)} × (${number(lowest)}–${number(highest)})`;
}

/** `latency 50 ms`, `no latency` */
export function latency(ms: number): string {
  return ms === 0 ? 'no latency' : `latency ${ms} ms`;
}

/** A Markdown table. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The promised figures as rows of a table. */
export function figureRows(figures: Figure[]): string[][] {
  return figures.map(({ what, bound, wanted, measured, unit, isReached, margin }) => [
    what,
    `${bound} ${inUnit(wanted, unit)}`,
    measured === undefined ? 'not measured' : inUnit(measured, unit),
    isReached === undefined || margin === undefined
      ? ''
      : `${isReached ? 'reached' : '**not reached**'}, ${percent(margin)}`,
  ]);
}

function inUnit(value: number, unit: Figure['unit']): string {
  return unit === 'times' ? `${number(value)} ×` : unit === 'requests' ? number(value) : `${number(value)} ${unit}`;
}

function percent(margin: number): string {
  const points = Math.round(Math.abs(margin) * 100);
  return margin === 0 ? 'exactly' : points === 0 ? 'by less than 1 %' : `by ${points} %`;
}
