import type { Figure } from './figures.ts';

const START = '<!-- measured: written by `npm run bench`, do not edit -->';
const END = '<!-- end of measured -->';

/** Puts Markdown between the markers of the README. */
export function withMeasured(readme: string, measured: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start) throw new Error('The README of the benchmarks has no place for the results');
  return `${readme.slice(0, start)}${START}\n\n${measured}\n\n${readme.slice(end)}`;
}

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = [['Figure', 'Measured', 'Target', ''], ...figures.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...rows.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

function cellsOf({ name, unit, measured, target, isMet }: Figure): string[] {
  const result = isMet === undefined ? '' : isMet ? 'met' : '**not met**';
  return [name, measuredText(measured, unit), targetText(target, unit), result];
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

/** Three digits: `0.012`, `1.23`, `12.3`, `1,234` */
function number(value: number): string {
  return value.toLocaleString(
    'en-US',
    Math.abs(value) < 1_000 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 },
  );
}
