import type { ItemsContender, ItemsHandlers } from '../process/itemsClient.ts';
import { type Ratio, ratio } from '../statistics.ts';
import type { Bench } from './bench.ts';
import { inTurns } from './turns.ts';

/** What a node costs that has something to ask for each of its input items. */
export interface InputItems {
  name: ItemsContender;
  items: number;
  maxInFlight: number;
  requests: number;
  /** The time per item to that of this package's node with the fewest items. */
  timePerItem: Ratio;
}

const names: ItemsContender[] = ['ours', 'http'];

/** Runs this package's node and n8n's HTTP Request node in turns, with several numbers of input items. */
export async function measureInputItems(
  bench: Bench,
  { items: numbers, latencyMs }: { items: number[]; latencyMs: number },
  rounds: number,
): Promise<InputItems[]> {
  const client = bench.startProcess<ItemsHandlers>('itemsClient.ts');
  await client.ask('prepare');
  const formId = await bench.formOf(100);
  await bench.service.ask('setLatency', { ms: 0 });
  for (const name of names) await client.ask('run', { name, service: bench.address, formId, items: 100 });

  await bench.service.ask('setLatency', { ms: latencyMs });
  const entries = numbers.flatMap((items) =>
    names.map((name) => ({ name, items, times: new Array<number>(), maxInFlight: 0, requests: 0 })),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const entry of inTurns(entries, round)) {
      const { name, items } = entry;
      const { value, counts } = await bench.counting(
        async () => await client.ask('run', { name, service: bench.address, formId, items }),
      );
      entry.times.push(value / items);
      entry.maxInFlight = Math.max(entry.maxInFlight, counts.maxInFlight);
      entry.requests = counts.requests;
    }
  }
  await client.stop();
  const base = entries[0]?.times ?? [];
  return entries.map(({ times, ...entry }) => ({ ...entry, timePerItem: ratio(times, base) }));
}
