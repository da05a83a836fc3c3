import { addForm, startClient, startReadyService } from './harness.ts';
import { type Figure, median } from './report.ts';

const LATENCY_MS = 50;
const ROUNDS = 5;

type Sample = Awaited<ReturnType<ReturnType<typeof startClient>>>;

/** Reads 10,000 submissions, and 4,000 of them in both orders, with the node, n8n's HTTP Request node and a bare client. */
export async function readForm() {
  const service = await startReadyService();
  const [size, from, to] = [10_000, 3_000, 7_000];
  const { id: formId, times } = addForm(service, size);
  const node = startClient(service, 'node');
  const http = startClient(service, 'http');
  const undici = startClient(service, 'undici');
  const readAll = [node, http, undici].map((read) => async () => await read({ formId }, size));
  // The first run is not measured: it loads and compiles code.
  await takeTurns(1, readAll);
  service.latencyMs = LATENCY_MS;
  const [all = [], paged = [], bare = []] = await takeTurns(ROUNDS, readAll);
  // One round takes 20 s.
  const plain = [await http({ formId, pageSize: 30 }, size)];
  const timeOf = (index: number) => new Date(times[index] ?? NaN).toISOString();
  const range = { submittedAfter: timeOf(from), submittedBefore: timeOf(to) };
  const [oldest = [], newest = [], theirs = []] = await takeTurns(ROUNDS, [
    async () => await node({ formId, range, order: 'asc' }, to - from),
    async () => await node({ formId, range, order: 'desc' }, to - from),
    // The HTTP Request node also returns the page that shows the end of the range.
    async () => await http({ formId, range }, to - from + 100),
  ]);
  const pages = (to - from) / 100;
  const slower = medianSeconds(plain) / medianSeconds(all);
  const figures: Figure[] = [
    { name: 'Return All: HTTP Request node, 100 per page / this node', values: ratios(paged, all), atLeast: 4.8 },
    { name: 'Return All: HTTP Request node, 30 per page / this node', values: [slower], atLeast: 15 },
    { name: 'Return All: this node / undici, 6 at a time', values: ratios(all, bare), atMost: 1.2 },
    { name: 'Date range, oldest first: HTTP Request node / this node', values: ratios(theirs, oldest), atLeast: 3.8 },
    { name: 'Date range, oldest first: requests', unit: '', values: requestsOf(oldest), atMost: pages + 4 },
    { name: 'Date range, newest first: HTTP Request node / this node', values: ratios(theirs, newest), atLeast: 3.8 },
    { name: 'Date range, newest first: requests', unit: '', values: requestsOf(newest), atMost: pages + 5 },
  ];
  const seconds = {
    'HTTP Request node, 30 per page': medianSeconds(plain),
    'HTTP Request node, 100 per page': medianSeconds(paged),
    'NeetoForm node': medianSeconds(all),
    'undici, 6 at a time': medianSeconds(bare),
  };
  return { figures, seconds };
}

/** Measures the memory for 100,000 submissions, in a fresh process each time. */
export async function readLargeForm(): Promise<Figure[]> {
  const service = await startReadyService();
  const size = 100_000;
  const { id: formId } = addForm(service, size, 5_000);
  const readWith = (client: 'node' | 'http') => async () => await startClient(service, client)({ formId }, size);
  const [ours = [], theirs = []] = await takeTurns(3, [readWith('node'), readWith('http')]);
  const peaks = ours.map(({ peakBytes }) => peakBytes);
  const relative = peaks.map((bytes, round) => bytes / (theirs[round]?.peakBytes ?? NaN));
  const name = `Return All, ${size.toLocaleString('en-US')} submissions: memory`;
  return [
    // With the same code, the collector's timing makes it 0.76 to 0.93. More says that something else takes memory.
    { name: `${name} of this node / HTTP Request node`, values: relative, atMost: 0.95 },
    { name: `${name} of this node`, unit: 'MB', values: peaks.map((bytes) => bytes / 1e6) },
  ];
}

/** Runs tasks in turns, so that whatever else the machine does disturbs all of them alike. @returns the samples of each task */
async function takeTurns(rounds: number, turns: Array<() => Promise<Sample>>): Promise<Sample[][]> {
  const samples = turns.map((): Sample[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, turn] of turns.entries()) samples[index]?.push(await turn());
  return samples;
}

const requestsOf = (samples: Sample[]) => samples.map(({ requests }) => requests);

function medianSeconds(samples: Sample[]): number {
  return median(samples.map(({ ms }) => ms)) / 1_000;
}

/** How many times as long one took as another, round by round. */
function ratios(samples: Sample[], base: Sample[]): number[] {
  return samples.map(({ ms }, round) => ms / (base[round]?.ms ?? NaN));
}
