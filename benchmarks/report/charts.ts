import { View, parse } from 'vega';
import { type TopLevelSpec, compile } from 'vega-lite';

import { type ContenderName, contenderNames } from '../contenders/contender.ts';
import type { CellResult, Standing } from '../measure/contest.ts';
import type { Results } from '../results.ts';
import { titles } from './wording.ts';

/** A curve of the README. */
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

interface Drawing {
  name: string;
  title: string;
  x: { title: string; isLog: boolean };
  y: { title: string; isLog: boolean };
  points: Point[];
  /** The order of the series, and so their colours. */
  series: string[];
}

const WIDTH = 380;
const HEIGHT = 220;

/** Draws every curve that was measured. */
export async function drawCharts(results: Results): Promise<Chart[]> {
  const drawings = [
    timeByRows(results),
    timeByLatency(results),
    requestsByRows(results),
    memoryByRows(results),
    growth(results),
    idlePolls(results),
    backlogs(results),
    inFlight(results),
  ];
  return await Promise.all(drawings.filter(({ points }) => points.length > 0).map(draw));
}

const contenderTitles = contenderNames.map((name) => titles[name]);
const rowsAxis = { title: 'submissions', isLog: true };

function timeByRows({ contest }: Results): Drawing {
  const cells = contest.filter(({ latencyMs }) => latencyMs === 50);
  return {
    name: 'time-by-size',
    title: 'Time, at 50 ms latency',
    x: rowsAxis,
    y: { title: 'time / bare client', isLog: true },
    points: pointsOf(
      cells,
      ({ rows }) => rows,
      ({ timeToBare }) => timeToBare.median,
    ),
    series: contenderTitles,
  };
}

function timeByLatency({ contest }: Results): Drawing {
  const cells = contest.filter(({ rows }) => rows === 10_000);
  return {
    name: 'time-by-latency',
    title: 'Time, for 10,000 submissions',
    x: { title: 'latency, ms', isLog: false },
    y: { title: 'time / bare client', isLog: true },
    points: pointsOf(
      cells,
      ({ latencyMs }) => latencyMs,
      ({ timeToBare }) => timeToBare.median,
    ),
    series: contenderTitles,
  };
}

function requestsByRows({ contest }: Results): Drawing {
  const cells = contest.filter(({ latencyMs }) => latencyMs === 0);
  return {
    name: 'requests-by-size',
    title: 'Requests',
    x: rowsAxis,
    y: { title: 'requests', isLog: true },
    points: pointsOf(
      cells,
      ({ rows }) => rows,
      ({ requests }) => requests,
    ),
    series: contenderTitles,
  };
}

function memoryByRows({ contest }: Results): Drawing {
  const cells = contest.filter(({ latencyMs }) => latencyMs === 0);
  return {
    name: 'memory-by-size',
    title: 'Peak of extra memory',
    x: rowsAxis,
    y: { title: 'MB', isLog: true },
    points: pointsOf(
      cells,
      ({ rows }) => rows,
      ({ peakRssBytes }) => peakRssBytes / 1e6,
    ),
    series: contenderTitles,
  };
}

function growth(results: Results): Drawing {
  const seriesOf = (latencyMs: number): string => `${latencyMs} ms`;
  return {
    name: 'time-per-submission',
    title: 'Time per submission, this node',
    x: rowsAxis,
    y: { title: 'time / that of 1,000', isLog: false },
    points: results.growth.map(({ rows, latencyMs, timePerItem }) => ({
      x: rows,
      y: timePerItem.median,
      series: seriesOf(latencyMs),
    })),
    series: [...new Set(results.growth.map(({ latencyMs }) => seriesOf(latencyMs)))],
  };
}

function idlePolls(results: Results): Drawing {
  return {
    name: 'idle-poll',
    title: 'An idle poll',
    x: { title: 'submissions of the form', isLog: true },
    y: { title: 'ratio / count', isLog: false },
    points: results.idlePolls.flatMap(({ rows, time, requests }) => [
      { x: rows, y: time.median, series: 'time / that of 1,000' },
      { x: rows, y: requests, series: 'requests' },
    ]),
    series: ['time / that of 1,000', 'requests'],
  };
}

function backlogs(results: Results): Drawing {
  return {
    name: 'backlog',
    title: 'Requests for a backlog',
    x: rowsAxis,
    y: { title: 'requests', isLog: true },
    points: results.backlogs.flatMap(({ rows, requests, requestsAllowed }) => [
      { x: rows, y: requests, series: 'made' },
      { x: rows, y: requestsAllowed, series: 'allowed' },
    ]),
    series: ['made', 'allowed'],
  };
}

function inFlight(results: Results): Drawing {
  const seriesOf = { ours: titles.ours, http: 'HTTP Request node' };
  return {
    name: 'input-items',
    title: 'Requests in flight at most',
    x: { title: 'input items', isLog: true },
    y: { title: 'requests at once', isLog: true },
    points: results.inputItems.map(({ name, items, maxInFlight }) => ({
      x: items,
      y: maxInFlight,
      series: seriesOf[name],
    })),
    series: Object.values(seriesOf),
  };
}

function pointsOf(cells: CellResult[], x: (cell: CellResult) => number, y: (standing: Standing) => number): Point[] {
  const seriesOf = (name: ContenderName): string => titles[name];
  return cells.flatMap((cell) =>
    cell.standings.map((standing) => ({ x: x(cell), y: y(standing), series: seriesOf(standing.name) })),
  );
}

async function draw({ name, title, x, y, points, series }: Drawing): Promise<Chart> {
  const scale = (isLog: boolean) => (isLog ? { type: 'log' as const } : { type: 'linear' as const, zero: true });
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title,
    width: WIDTH,
    height: HEIGHT,
    background: 'white',
    padding: 8,
    data: { values: points },
    mark: { type: 'line', point: true },
    encoding: {
      x: {
        field: 'x',
        type: 'quantitative',
        title: x.title,
        scale: scale(x.isLog),
        axis: { format: ',~f', values: [...new Set(points.map((point) => point.x))] },
      },
      y: {
        field: 'y',
        type: 'quantitative',
        title: y.title,
        scale: scale(y.isLog),
        axis: { format: ',~f', tickCount: 5 },
      },
      color: { field: 'series', type: 'nominal', title: null, scale: { domain: series }, legend: { labelLimit: 240 } },
    },
  };
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  try {
    return { name, alt: `${title}: ${y.title} by ${x.title}`, svg: await view.toSVG() };
  } finally {
    view.finalize();
  }
}
