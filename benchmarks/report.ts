import { View, parse } from 'vega';
import { type TopLevelSpec, compile } from 'vega-lite';

/** A line of the table. */
export interface Figure {
  name: string;
  unit: '×' | 's' | 'min' | '';
  /** Of each round. The line shows the median, and the lowest and the highest if there are several. */
  values: number[];
  target?: Target;
}

type Target = { atLeast: number } | { atMost: number };

export function figure(name: string, unit: Figure['unit'], values: number[], target?: Target): Figure {
  return { name, unit, values, ...(target && { target }) };
}

/** What one part of a run measured. */
export interface Part {
  figures: Figure[];
  points?: Point[];
}

/** A point of a chart. */
export interface Point {
  chart: keyof typeof charts;
  x: number;
  y: number;
  series: string;
}

const charts = {
  'time-by-size': { title: 'All submissions of a form, 50 ms latency', x: 'submissions', y: 'seconds' },
  forms: { title: 'Idle poll of all active forms', x: 'forms', y: 'requests' },
};

/** A Markdown table of the figures, their targets and whether they are met. */
export function figureTable(figures: Figure[]): string {
  const rows = figures.map(({ name, unit, values, target }) => {
    const value = median(values);
    const isMet = target && ('atLeast' in target ? value >= target.atLeast : value <= target.atMost);
    const spread = values.length > 1 ? ` (${number(Math.min(...values))}–${number(Math.max(...values))})` : '';
    const wanted = target && ('atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`);
    return [
      name,
      `${number(value)} ${unit}${spread}`,
      wanted ?? '',
      isMet === undefined ? '' : isMet ? 'met' : '**not met**',
    ];
  });
  const lines = [['Figure', 'Measured', 'Target', ''], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Draws the charts of the points. @returns their names as files, without the extension */
export async function drawCharts(points: Point[]): Promise<Array<{ name: string; alt: string; svg: string }>> {
  return await Promise.all(
    Object.entries(charts).map(async ([name, { title, x, y }]) => {
      const values = points.filter(({ chart }) => chart === name);
      const axis = (field: string, label: string) => ({
        field,
        type: 'quantitative' as const,
        title: label,
        scale: { type: 'log' as const },
        axis: { format: ',~f' },
      });
      const spec: TopLevelSpec = {
        $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
        title,
        width: 380,
        height: 220,
        background: 'white',
        padding: 8,
        data: { values },
        mark: { type: 'line', point: true },
        encoding: {
          x: axis('x', x),
          y: axis('y', y),
          color: { field: 'series', type: 'nominal', title: null, sort: null, legend: { labelLimit: 240 } },
        },
      };
      const svg = await new View(parse(compile(spec).spec), { renderer: 'none' }).toSVG();
      return { name, alt: `${title}: ${y} by ${x}`, svg };
    }),
  );
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
