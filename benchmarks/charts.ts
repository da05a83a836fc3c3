import { View, parse } from 'vega';
import { type TopLevelSpec, compile } from 'vega-lite';

import { titles } from './clients.ts';
import { type Result, ratioOf, spreadOf } from './turns.ts';

interface Chart {
  name: string;
  title: string;
  x: string;
  y: string;
  /** The results that it shows. */
  of: Pick<Result, 'measurement' | 'latencyMs'>;
  /** The values of a result among all that it shows, by the name of the line. */
  lines: (result: Result, shown: Result[]) => Record<string, number>;
}

const charts: Chart[] = [
  {
    name: 'time-by-size',
    title: 'All submissions of a form, 50 ms latency',
    x: 'submissions',
    y: 'time / NeetoForm node',
    of: { measurement: 'export', latencyMs: 50 },
    lines: (result, shown) => {
      const node = shown.find(({ subject, size }) => subject === titles.node && size === result.size);
      return { [result.subject]: ratioOf(result, node ?? result).median };
    },
  },
  {
    name: 'memory-by-size',
    title: 'All submissions of a form: peak of extra memory',
    x: 'submissions',
    y: 'MB',
    of: { measurement: 'export', latencyMs: 0 },
    lines: ({ subject, peakBytes }) => ({ [subject]: peakBytes / 1e6 }),
  },
  {
    name: 'forms',
    title: 'Idle poll of every active form, 50 ms latency',
    x: 'forms',
    y: 'requests, and seconds',
    of: { measurement: 'forms', latencyMs: 50 },
    lines: ({ size, requests, ms }) => ({
      requests,
      'requests: target': 5 + size / 8,
      seconds: spreadOf(ms).median / 1_000,
    }),
  },
];

/**
 * Draws everything that was measured.
 * @returns the charts of the README, with their names as files without the extension
 */
export async function drawCharts(results: Result[]) {
  const isShown =
    ({ of }: Chart) =>
    (result: Result) =>
      result.measurement === of.measurement && result.latencyMs === of.latencyMs;
  const measured = charts.filter((chart) => results.some(isShown(chart)));
  return await Promise.all(measured.map(async (chart) => await draw(chart, results.filter(isShown(chart)))));
}

async function draw({ name, title, x, y, lines }: Chart, results: Result[]) {
  const values = results.flatMap((result) =>
    Object.entries(lines(result, results)).map(([series, value]) => ({ x: result.size, y: value, series })),
  );
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
      x: {
        field: 'x',
        type: 'quantitative',
        title: x,
        scale: { type: 'log' },
        axis: { format: ',~f', values: [...new Set(values.map((value) => value.x))] },
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
