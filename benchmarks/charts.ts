import { View, parse } from 'vega';
import { type TopLevelSpec, compile } from 'vega-lite';

import { titles } from './clients.ts';
import type { Result } from './harness.ts';

/** A chart of the README. */
export interface Chart {
  /** Its file, without the extension. */
  name: string;
  alt: string;
  svg: string;
}

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
  /** Which axes are logarithmic. */
  log: 'x' | 'y' | 'xy' | '';
  measurement: string;
  /** Which results of the measurement are shown; default: all. */
  only?: (result: Result) => boolean;
  /** The points of a result. */
  points: (result: Result) => Point[];
}

const one =
  (x: keyof Result & ('size' | 'latencyMs'), y: (result: Result) => number) =>
  (result: Result): Point[] => [{ x: result[x], y: y(result), series: result.subject }];

const timeToNode = ({ time }: Result): number => time.median;

const settings: ChartSettings[] = [
  {
    name: 'time-by-size',
    title: 'All submissions of a form, 50 ms latency',
    x: 'submissions',
    y: 'time / NeetoForm node',
    log: 'xy',
    measurement: 'export',
    only: ({ latencyMs }) => latencyMs === 50,
    points: one('size', timeToNode),
  },
  {
    name: 'time-by-latency',
    title: '10,000 submissions',
    x: 'latency, ms',
    y: 'time / NeetoForm node',
    log: 'y',
    measurement: 'export',
    only: ({ size }) => size === 10_000,
    points: one('latencyMs', timeToNode),
  },
  {
    name: 'memory-by-size',
    title: 'All submissions of a form: peak of extra memory',
    x: 'submissions',
    y: 'MB',
    log: 'xy',
    measurement: 'export',
    only: ({ latencyMs }) => latencyMs === 0,
    points: one('size', ({ peakBytes }) => peakBytes / 1e6),
  },
  {
    name: 'input-items',
    title: 'One request per input item: requests in flight',
    x: 'input items',
    y: 'requests at a time, at most',
    log: 'xy',
    measurement: 'input items',
    points: one('size', ({ maxInFlight }) => maxInFlight),
  },
  {
    name: 'idle-poll',
    title: 'Idle poll of one form',
    x: 'submissions of the form',
    y: 'requests, and time / form of 1,000',
    log: 'x',
    measurement: 'idle poll',
    points: ({ size, time, requests }) => [
      { x: size, y: time.median, series: 'time' },
      { x: size, y: requests, series: 'requests' },
    ],
  },
  {
    name: 'forms',
    title: 'Idle poll of every active form, 50 ms latency',
    x: 'forms',
    y: 'requests, and seconds',
    log: 'xy',
    measurement: 'forms',
    points: ({ size, requests, seconds }) => [
      { x: size, y: requests, series: 'requests' },
      { x: size, y: 5 + size / 8, series: 'requests: target' },
      { x: size, y: seconds.median, series: 'seconds' },
    ],
  },
];

/** Draws everything that was measured. */
export async function drawCharts(results: Result[]): Promise<Chart[]> {
  const charts: Chart[] = [];
  for (const chart of settings) {
    const points = results
      .filter((result) => result.measurement === chart.measurement && (chart.only?.(result) ?? true))
      .flatMap(chart.points);
    if (points.length > 0) charts.push(await draw(chart, points));
  }
  return charts;
}

async function draw({ name, title, x, y, log }: ChartSettings, points: Point[]): Promise<Chart> {
  const scale = (axis: 'x' | 'y') =>
    log.includes(axis) ? { type: 'log' as const } : { type: 'linear' as const, zero: true };
  // The order of the comparison, so that a client has one color in all charts.
  const clients: string[] = Object.values(titles);
  const series = [...new Set(points.map((point) => point.series))];
  const domain = series.every((each) => clients.includes(each)) ? clients.slice(0, 5) : series;
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
        scale: scale('x'),
        axis: { format: ',~f', values: [...new Set(points.map((point) => point.x))] },
      },
      y: { field: 'y', type: 'quantitative', title: y, scale: scale('y'), axis: { format: ',~f', tickCount: 5 } },
      color: { field: 'series', type: 'nominal', title: null, scale: { domain }, legend: { labelLimit: 240 } },
    },
  };
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return { name, alt: `${title}: ${y} by ${x}`, svg: await view.toSVG() };
  } finally {
    view.finalize();
  }
}
