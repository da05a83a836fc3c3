import type { ContenderName } from '../contenders/contender.ts';
import type { Cell } from '../plan.ts';
import type { ClientHandlers } from '../process/client.ts';
import type { Child } from '../process/rpc.ts';
import { type Ratio, ratio } from '../statistics.ts';
import type { Bench } from './bench.ts';
import { inTurns } from './turns.ts';

/** How one contender did in one cell. */
export interface Standing {
  name: ContenderName;
  /** Its time to that of this package's node. */
  timeToOurs: Ratio;
  /** Its time to that of the bare client. */
  timeToBare: Ratio;
  /** Its processor time to that of this package's node. */
  cpuToOurs: Ratio;
  requests: number;
  connections: number;
  /** Sent by the service, headers included. */
  bytes: number;
  maxInFlight: number;
  /** What the process grew by at most during the first fetch. */
  peakRssBytes: number;
  /** The peak to the size of what was fetched, as JSON. */
  peakToResult: number;
}

/** What came of one cell. */
export interface CellResult {
  rows: number;
  latencyMs: number;
  standings: Standing[];
}

type Outcome = Omit<Standing, 'timeToOurs' | 'timeToBare' | 'cpuToOurs'>;

interface Contestant {
  name: ContenderName;
  client: Child<ClientHandlers>;
  times: number[];
  cpuTimes: number[];
  outcome?: Outcome;
}

const WARM_UP_ROWS = 1_000;
const WARM_UP_FETCHES = 3;

/** Lets the contenders of a cell fetch in turns, each in a process of its own. */
export async function runCell(bench: Bench, cell: Cell): Promise<CellResult> {
  const formId = await bench.formOf(cell.rows);
  const contestants: Contestant[] = [];
  await bench.service.ask('setLatency', { ms: 0 });
  for (const name of cell.contenders) contestants.push(await enter(bench, name));

  await bench.service.ask('setLatency', { ms: cell.latencyMs });
  for (let round = 0; round < cell.rounds; round += 1) {
    for (const contestant of inTurns(contestants, round)) await takeTurn(bench, contestant, cell.rows, formId);
  }
  for (const { client } of contestants) await client.stop();
  return { rows: cell.rows, latencyMs: cell.latencyMs, standings: standingsOf(contestants) };
}

async function enter(bench: Bench, name: ContenderName): Promise<Contestant> {
  const client = bench.startProcess<ClientHandlers>('client.ts');
  await client.ask('prepare', { name, service: bench.address });
  await client.ask('warmUp', { formId: await bench.formOf(WARM_UP_ROWS), times: WARM_UP_FETCHES });
  return { name, client, times: [], cpuTimes: [] };
}

async function takeTurn(bench: Bench, contestant: Contestant, rows: number, formId: string): Promise<void> {
  const { name, client, times, cpuTimes } = contestant;
  const { value, counts } = await bench.counting(async () => await client.ask('fetchAll', { formId }));
  if (value.submissions !== rows) throw new Error(`${name} fetched ${value.submissions} submissions of ${rows}`);
  times.push(value.ms);
  cpuTimes.push(value.cpuMs);
  contestant.outcome ??= {
    name,
    ...counts,
    peakRssBytes: value.peakRssBytes,
    peakToResult: value.peakRssBytes / value.resultBytes,
  };
}

function standingsOf(contestants: Contestant[]): Standing[] {
  const of = (name: ContenderName): Contestant | undefined =>
    contestants.find((contestant) => contestant.name === name);
  const ours = of('ours');
  const bare = of('bare');
  return contestants.flatMap(({ times, cpuTimes, outcome }) =>
    outcome === undefined
      ? []
      : [
          {
            ...outcome,
            timeToOurs: ratio(times, ours?.times ?? []),
            timeToBare: ratio(times, bare?.times ?? []),
            cpuToOurs: ratio(cpuTimes, ours?.cpuTimes ?? []),
          },
        ],
  );
}
