/** A line of the table. */
export interface Figure {
  name: string;
  unit: '×' | 'ms' | 'min' | 'MB' | 'kB' | '';
  /** Of each round. The line shows the median, and the lowest and the highest if there are several. */
  values: number[];
  target: Target;
}

type Target = { atLeast: number } | { atMost: number };

/** What one part of a run measured. */
export interface Part {
  figures: Figure[];
  /** The bars of the chart, from top to bottom. */
  seconds?: Record<string, number>;
}

export function figure(name: string, unit: Figure['unit'], values: number[], target: Target): Figure {
  return { name, unit, values, target };
}

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = figures.map(({ name, unit, values, target }) => {
    const value = median(values);
    const isMet = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
    const spread = values.length > 1 ? ` (${number(Math.min(...values))}–${number(Math.max(...values))})` : '';
    const wanted = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
    return [name, `${number(value)} ${unit}`.trim() + spread, wanted, isMet ? 'met' : '**not met**'];
  });
  const lines = [['Figure', 'Measured', 'Target', ''], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A bar chart that GitHub draws. */
export function barChart(title: string, seconds: Record<string, number>): string {
  const names = Object.keys(seconds).map((name) => JSON.stringify(name));
  const values = Object.values(seconds).map((value) => value.toFixed(1));
  const lines = [`title "${title}"`, `x-axis [${names.join(', ')}]`, 'y-axis "seconds"', `bar [${values.join(', ')}]`];
  return ['```mermaid', 'xychart-beta horizontal', ...lines.map((line) => `  ${line}`), '```'].join('\n');
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? NaN) + (sorted[Math.floor(middle)] ?? NaN)) / 2;
}

/** Three digits: `0.012`, `1.23`, `12.3` */
function number(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
