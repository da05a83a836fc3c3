export interface Figure {
  name: string;
  /** Default: none, for a ratio. */
  unit?: 'ms' | 'min' | 'MB' | 'kB' | '';
  /** One value for each round. The table shows the median. */
  values: number[];
  atLeast?: number;
  atMost?: number;
}

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = figures.map(({ name, unit = '×', values, atLeast = -Infinity, atMost = Infinity }) => {
    const value = median(values);
    const spread = values.length > 1 ? ` (${number(Math.min(...values))}–${number(Math.max(...values))})` : '';
    const target = atMost < Infinity ? `at most ${atMost}` : atLeast > -Infinity ? `at least ${atLeast}` : '';
    const verdict = target === '' ? '' : value >= atLeast && value <= atMost ? 'met' : '**not met**';
    return `| ${name} | ${`${number(value)} ${unit}`.trim()}${spread} | ${target} | ${verdict} |`;
  });
  return ['| Figure | Measured | Target |  |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** A bar chart that GitHub draws. */
export function barChart(title: string, seconds: Record<string, number>): string {
  const names = Object.keys(seconds).map((name) => JSON.stringify(name));
  const values = Object.values(seconds).map((value) => value.toFixed(1));
  const lines = [`title "${title}"`, `x-axis [${names.join(', ')}]`, 'y-axis "seconds"', `bar [${values.join(', ')}]`];
  return ['```mermaid', 'xychart-beta horizontal', ...lines.map((line) => `  ${line}`), '```'].join('\n');
}

/** The value in the middle; of an even number of values the lower one. */
export function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? NaN;
}

/** Three digits: `0.012`, `1.23`, `12.3` */
function number(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
