import { View, parse } from 'vega';
import { type TopLevelSpec, compile } from 'vega-lite';

import type { Result } from './turns.ts';

interface Point {
  x: number;
  y: number;
  series: string;
}

interface ChartSettings {
  name: string;
  title: string;
  x: string;
  y: string;
  /** The points of a result; none when the chart does not show it. */
  points: (result: Result) => Point[];
}

const settings: ChartSettings[] = [
  {
    name: 'time-by-size',
    title: 'All submissions of a form, 50 ms latency',
    x: 'submissions',
    y: 'time / NeetoForm node',
    points: ({ measurement, latencyMs, size, subject, time }) =>
      measurement === 'export' && latencyMs === 50 ? [{ x: size, y: time.median, series: subject }] : [],
  },
  {
    name: 'memory-by-size',
    title: 'All submissions of a form: peak of extra memory',
    x: 'submissions',
    y: 'MB',
    points: ({ measurement, latencyMs, size, subject, peakBytes }) =>
      measurement === 'export' && latencyMs === 0 ? [{ x: size, y: peakBytes / 1e6, series: subject }] : [],
  },
  {
    name: 'forms',
    title: 'Idle poll of every active form, 50 ms latency',
    x: 'forms',
    y: 'requests, and seconds',
    points: ({ measurement, size, requests, seconds }) => {
      if (measurement !== 'forms') return [];
      const series = { requests, 'requests: target': 5 + size / 8, seconds: seconds.median };
      return Object.entries(series).map(([name, y]) => ({ x: size, y, series: name }));
    },
  },
];

/**
 * Draws everything that was measured.
 * @returns the charts of the README, with their names as files without the extension
 */
export async function drawCharts(results: Result[]) {
  const charts: Array<Awaited<ReturnType<typeof draw>>> = [];
  for (const chart of settings) {
    const points = results.flatMap(chart.points);
    if (points.length > 0) charts.push(await draw(chart, points));
  }
  return charts;
}

async function draw({ name, title, x, y }: ChartSettings, points: Point[]) {
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title,
    width: 380,
    height: 220,
    background: 'white',
    padding: 8,
    data: { values: points },
    mark: { type: 'line', point: true },
    encoding: {
      x: {
        field: 'x',
        type: 'quantitative',
        title: x,
        scale: { type: 'log' },
        axis: { format: ',~f', values: [...new Set(points.map((point) => point.x))] },
      },
      y: { field: 'y', type: 'quantitative', title: y, scale: { type: 'log' }, axis: { format: ',~f', tickCount: 5 } },
      color: { field: 'series', type: 'nominal', title: null, sort: null, legend: { labelLimit: 240 } },
    },
  };
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return { name, alt: `${title}: ${y} by ${x}`, svg: await view.toSVG() };
  } finally {
    view.finalize();
  }
}
