import type { ClientHandlers } from '../process/client.ts';
import { type Ratio, ratio } from '../statistics.ts';
import type { Bench } from './bench.ts';
import { inTurns } from './turns.ts';

/** How the time per submission of this package's node grows with the form. */
export interface Growth {
  rows: number;
  latencyMs: number;
  /** The time per submission to that of the smallest form. */
  timePerItem: Ratio;
}

/** A small form is fetched several times a round: one fetch would be too short to time. */
const ROWS_PER_TURN = 10_000;

/** Fetches forms of several sizes in turns, all in one process. */
export async function measureGrowth(
  bench: Bench,
  { rows: sizes, latencyMs }: { rows: number[]; latencyMs: number },
  rounds: number,
): Promise<Growth[]> {
  const client = bench.startProcess<ClientHandlers>('client.ts');
  await bench.service.ask('setLatency', { ms: 0 });
  await client.ask('prepare', { name: 'ours', service: bench.address });
  for (const rows of sizes) await client.ask('warmUp', { formId: await bench.formOf(rows), times: 1 });

  await bench.service.ask('setLatency', { ms: latencyMs });
  const times = new Map<number, number[]>(sizes.map((rows) => [rows, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [rows, list] of inTurns([...times], round)) {
      const fetches = Math.max(1, Math.round(ROWS_PER_TURN / rows / (latencyMs === 0 ? 1 : 5)));
      let ms = 0;
      for (let fetch = 0; fetch < fetches; fetch += 1)
        ms += (await client.ask('fetchAll', { formId: await bench.formOf(rows) })).ms;
      list.push(ms / fetches / rows);
    }
  }
  await client.stop();
  const base = times.get(Math.min(...sizes)) ?? [];
  return [...times].map(([rows, list]) => ({ rows, latencyMs, timePerItem: ratio(list, base) }));
}
