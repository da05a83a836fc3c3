import { contenderNames } from '../contenders/contender.ts';
import type { Figure } from '../figures.ts';
import type { CellResult, Standing } from '../measure/contest.ts';
import type { Results } from '../results.ts';
import type { Chart } from './charts.ts';
import { figureRows, latency, number, spread, table, titles } from './wording.ts';

const START = '<!-- measured: written by `npm run bench`, do not edit -->';
const END = '<!-- end of measured -->';

/** Puts what was measured between the markers of the README. */
export function withMeasured(readme: string, measured: string): string {
  const start = readme.indexOf(START);
  const end = readme.indexOf(END);
  if (start < 0 || end < start) throw new Error('The README of the benchmarks has no place for what is measured');
  return `${readme.slice(0, start)}${START}\n\n${measured}\n\n${readme.slice(end)}`;
}

/** What was measured, in Markdown. */
export function measuredText(results: Results, figures: Figure[], charts: Chart[]): string {
  const { circumstances } = results;
  const image = (name: string): string => {
    const chart = charts.find((candidate) => candidate.name === name);
    return chart === undefined ? '' : `![${chart.alt}](charts/${name}.svg)`;
  };
  const sections = [
    `One run of ${circumstances.minutes} minutes; medians of ${circumstances.rounds} rounds or more; Node ${circumstances.node}, n8n ${circumstances.n8n}; ${circumstances.processors} processors, load ${number(circumstances.loadBefore)} before the run.`,
    ...results.failures.map(({ part, reason }) => `**Missing: ${part}.** ${reason}`),
    `## Figures to reach\n\n${table(['', 'wanted', 'measured', ''], figureRows(figures))}`,
    `## All submissions of a form: time\n\n${text.time}\n\n${timeTable(results)}\n\n${image('time-by-size')}\n\n${image('time-by-latency')}`,
    `## All submissions of a form: work\n\n${text.cpu}\n\n${cpuTable(results)}`,
    `## All submissions of a form: what the service sees\n\n${text.traffic}\n\n${trafficTable(results)}\n\n${image('requests-by-size')}`,
    `## All submissions of a form: memory\n\n${text.memory}\n\n${memoryTable(results)}\n\n${image('memory-by-size')}`,
    `## Time per submission\n\n${text.growth}\n\n${growthTable(results)}\n\n${image('time-per-submission')}`,
    `## An idle poll\n\n${text.idle}\n\n${idleTable(results)}\n\n${image('idle-poll')}`,
    `## A backlog\n\n${text.backlog}\n\n${backlogTable(results)}\n\n${image('backlog')}`,
    `## Many input items\n\n${text.items}\n\n${itemsTable(results)}\n\n${image('input-items')}`,
    `## Weight\n\n${text.weight}\n\n${weightTable(results)}`,
  ];
  return sections.map((section) => section.replace(/\n{3,}/g, '\n\n').trim()).join('\n\n');
}

const text = {
  time:
    'How many times as long as this node each contender takes, with the lowest and the highest round in brackets. Above 1 is slower than this node. ' +
    'A dash: left out, for a single fetch would take minutes. In the charts the bare client is 1, the limit of what four requests at once can do; lower is better.',
  cpu:
    'Processor time of the client against this node, without latency. Most of it is the price of a request through n8n (a connection each) and of parsing; ' +
    'the rest of this node is one item per submission with its answers by name, which the others leave to nodes behind them.',
  traffic:
    'Requests / new connections / bytes sent by the service, without latency; the same at any other. No new connection means that one from before was used again. n8n gives a node no way to keep connections open. ' +
    'Everybody gets the same rows, so the bytes differ by the headers of more requests only.',
  memory:
    'What the process grew by during its first fetch, at its highest: rows, items, and garbage that was not collected yet. In brackets, how many times the size of the result as JSON. A straight line in the chart means that memory grows with the result and nothing else.',
  growth:
    'Time for one submission against the smallest form, all sizes in turns in one process. Flat or falling means that a long list costs no more per submission than a short one.',
  idle: 'A poll of the trigger that finds nothing new, without latency. Time against the smallest form. Flat means that a poll does not care how much a form has gathered.',
  backlog:
    'Submissions that gathered while the workflow was not active, handed out by polls of at most 1,000, as the trigger is preset. Allowed are, for each poll of N, N/100 × 1.05 + 1 requests. Time per submission against the smallest backlog.',
  items:
    'A node that asks for one form per input item. Time per item against this node with the fewest items. The HTTP Request node sends everything at once, which is faster and is what makes services answer 429; this node keeps to four.',
  weight: 'Median of fresh processes; the tarball is what `npm pack` makes.',
};

function timeTable({ contest }: Results): string {
  return cellTable(contest, ({ timeToOurs, name }) => (name === 'ours' ? '1' : spread(timeToOurs)));
}

function cpuTable({ contest }: Results): string {
  return cellTable(withoutLatency(contest), ({ cpuToOurs, name }) => (name === 'ours' ? '1' : spread(cpuToOurs)));
}

function trafficTable({ contest }: Results): string {
  return cellTable(
    withoutLatency(contest),
    ({ requests, connections, bytes }) => `${number(requests)} / ${number(connections)} / ${number(bytes / 1e6)} MB`,
  );
}

function memoryTable({ contest }: Results): string {
  return cellTable(
    withoutLatency(contest),
    ({ peakRssBytes, peakToResult }) => `${number(peakRssBytes / 1e6)} MB (${number(peakToResult)} ×)`,
  );
}

function withoutLatency(contest: CellResult[]): CellResult[] {
  return contest.filter(({ latencyMs }) => latencyMs === 0);
}

function cellTable(cells: CellResult[], show: (standing: Standing) => string): string {
  const rows = cells
    .toSorted((one, other) => one.rows - other.rows || one.latencyMs - other.latencyMs)
    .map((cell) => [
      `${number(cell.rows)}, ${latency(cell.latencyMs)}`,
      ...contenderNames.map((name) => {
        const standing = cell.standings.find((candidate) => candidate.name === name);
        return standing === undefined ? '–' : show(standing);
      }),
    ]);
  return table(['submissions', ...contenderNames.map((name) => titles[name])], rows);
}

function growthTable({ growth }: Results): string {
  return table(
    ['submissions', 'latency', 'time per submission'],
    growth.map(({ rows, latencyMs, timePerItem }) => [number(rows), latency(latencyMs), spread(timePerItem)]),
  );
}

function idleTable({ idlePolls }: Results): string {
  return table(
    ['submissions of the form', 'time', 'requests', 'bytes'],
    idlePolls.map(({ rows, time, requests, bytes }) => [
      number(rows),
      spread(time),
      number(requests),
      number(Math.round(bytes)),
    ]),
  );
}

function backlogTable({ backlogs }: Results): string {
  return table(
    ['backlog', 'polls', 'requests', 'allowed', 'time per submission'],
    backlogs.map(({ rows, polls, requests, requestsAllowed, timePerItem }) => [
      number(rows),
      number(polls),
      number(requests),
      number(Math.floor(requestsAllowed)),
      spread(timePerItem),
    ]),
  );
}

function itemsTable({ inputItems }: Results): string {
  return table(
    ['input items', 'node', 'requests in flight at most', 'requests', 'time per item'],
    inputItems.map(({ items, name, maxInFlight, requests, timePerItem }) => [
      number(items),
      name === 'ours' ? titles.ours : 'HTTP Request node',
      number(maxInFlight),
      number(requests),
      spread(timePerItem),
    ]),
  );
}

function weightTable({ weight }: Results): string {
  if (weight === undefined) return '';
  return table(
    ['', ''],
    [
      ['loading both nodes on top of n8n-workflow', `${number(weight.loadMs)} ms`],
      ['tarball', `${number(weight.tarballBytes / 1000)} kB`],
    ],
  );
}
