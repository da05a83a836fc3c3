import type { PollingHandlers } from '../process/pollingClient.ts';
import { type Ratio, ratio } from '../statistics.ts';
import type { Bench } from './bench.ts';
import { inTurns } from './turns.ts';

/** What a poll costs that finds nothing new. */
export interface IdlePoll {
  /** Submissions of the form. */
  rows: number;
  /** Its time to that on the smallest form. */
  time: Ratio;
  requests: number;
  bytes: number;
}

/** What it costs to hand out what gathered. */
export interface Backlog {
  rows: number;
  /** Polls until all was handed out, with the trigger as the editor presets it. */
  polls: number;
  requests: number;
  /** The most that one of these polls may ask, summed up: N/100 × 1.05 + 1 each. */
  requestsAllowed: number;
  /** The time per submission to that of the smallest backlog. */
  timePerItem: Ratio;
}

const WARM_UP_POLLS = 20;
const DAY = 86_400_000;

/** Submissions that the trigger hands out per poll unless its user sets another number. */
const MAX_PER_POLL = 1_000;

/** Polls forms of several sizes in turns, none of which has anything new. */
export async function measureIdlePolls(
  bench: Bench,
  { rows: sizes, pollsPerRound, rounds }: { rows: number[]; pollsPerRound: number; rounds: number },
): Promise<IdlePoll[]> {
  await bench.service.ask('setLatency', { ms: 0 });
  const client = bench.startProcess<PollingHandlers>('pollingClient.ts');
  await client.ask('prepare');
  const watches = [];
  for (const rows of sizes) {
    const formId = await bench.service.ask('addPast', { rows, newest: Date.now() - DAY });
    const watch = await client.ask('watch', { service: bench.address, formId });
    await client.ask('poll', { watch, times: WARM_UP_POLLS });
    watches.push({ rows, watch, times: new Array<number>(), requests: NaN, bytes: NaN });
  }

  for (let round = 0; round < rounds; round += 1) {
    for (const entry of inTurns(watches, round)) {
      const { value, counts } = await bench.counting(
        async () => await client.ask('poll', { watch: entry.watch, times: pollsPerRound }),
      );
      if (value.items > 0) throw new Error(`A poll of an idle form of ${entry.rows} handed out ${value.items} items`);
      entry.times.push(value.ms / pollsPerRound);
      entry.requests = counts.requests / pollsPerRound;
      entry.bytes = counts.bytes / pollsPerRound;
    }
  }
  await client.stop();
  const base = watches[0]?.times ?? [];
  return watches.map(({ rows, times, requests, bytes }) => ({ rows, time: ratio(times, base), requests, bytes }));
}

/** Polls forms with a past that is still to be handed out, until all of it is. */
export async function measureBacklogs(bench: Bench, sizes: number[], rounds: number): Promise<Backlog[]> {
  await bench.service.ask('setLatency', { ms: 0 });
  const client = bench.startProcess<PollingHandlers>('pollingClient.ts');
  await client.ask('prepare');
  const newest = Date.now() - DAY;
  const entries = [];
  for (const rows of sizes) {
    const formId = await bench.service.ask('addPast', { rows, newest });
    entries.push({ rows, formId, times: new Array<number>(), polls: 0, requests: 0, requestsAllowed: 0 });
  }

  for (let round = -1; round < rounds; round += 1) {
    for (const entry of inTurns(entries, round)) {
      const startFrom = new Date(newest - entry.rows * 60_000).toISOString();
      const watch = await client.ask('watch', {
        service: bench.address,
        formId: entry.formId,
        options: { startFrom, maxSubmissions: MAX_PER_POLL },
      });
      let taken = 0;
      let ms = 0;
      let requests = 0;
      let requestsAllowed = 0;
      let polls = 0;
      for (; taken < entry.rows; polls += 1) {
        const { value, counts } = await bench.counting(async () => await client.ask('poll', { watch, times: 1 }));
        if (value.items === 0) throw new Error(`A backlog of ${entry.rows} ended after ${taken}`);
        taken += value.items;
        ms += value.ms;
        requests += counts.requests;
        requestsAllowed += (value.items / 100) * 1.05 + 1;
      }
      Object.assign(entry, { polls, requests, requestsAllowed });
      // The round before the first is for warming up.
      if (round >= 0) entry.times.push(ms / entry.rows);
    }
  }
  await client.stop();
  const base = entries[0]?.times ?? [];
  return entries.map(({ rows, polls, requests, requestsAllowed, times }) => ({
    rows,
    polls,
    requests,
    requestsAllowed,
    timePerItem: ratio(times, base),
  }));
}
