export interface Figure {
  name: string;
  /** Default: none, for a ratio. */
  unit?: 'ms' | 'min' | 'MB' | 'kB' | '';
  /** One value for each round. The table shows the median. */
  values: number[];
  atLeast?: number;
  atMost?: number;
}

/** The names of the figures that do not meet their target. */
export function missedTargets(figures: Figure[]): string[] {
  return figures.filter((figure) => !isMet(figure)).map(({ name }) => name);
}

function isMet({ values, atLeast, atMost }: Figure): boolean {
  if (atLeast === undefined && atMost === undefined) return true;
  const value = median(values);
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = figures.map((figure) => {
    const { name, unit = '×', values, atLeast, atMost } = figure;
    const spread = values.length > 1 ? ` (${number(Math.min(...values))}–${number(Math.max(...values))})` : '';
    const bounds = [
      ['at least', atLeast],
      ['at most', atMost],
    ] as const;
    const target = bounds.flatMap(([word, bound]) => (bound === undefined ? [] : [`${word} ${bound}`])).join(', ');
    const verdict = target === '' ? '' : isMet(figure) ? 'met' : '**not met**';
    return `| ${name} | ${`${number(median(values))} ${unit}`.trim()}${spread} | ${target} | ${verdict} |`;
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
