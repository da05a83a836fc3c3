import { addForm, type Harness, type Sample, takeTurns } from './harness.ts';
import { type Part, median } from './report.ts';

const LATENCY_MS = 50;
const ROUNDS = 3;

/** All 10,000 submissions of a form, read by the node, by n8n's HTTP Request node and by a bare client. */
export async function readForm(harness: Harness): Promise<Part> {
  const service = await harness.startService();
  const size = 10_000;
  const { id: formId } = addForm(service, size);
  const readHttp = harness.startClient(service, 'http');
  const readers = [harness.startClient(service, 'node'), readHttp, harness.startClient(service, 'undici')];
  const turns = readers.map((read) => async () => await read({ formId }, size));
  // Warms up.
  await takeTurns(1, turns);
  service.quirks.latencyMs = LATENCY_MS;
  const [node = [], http = [], undici = []] = await takeTurns(ROUNDS, turns);
  // Pages as the service sends them unless it is asked for more. One round: it takes a third of a minute.
  const plain = [await readHttp({ formId, pageSize: 30 }, size)];
  return {
    figures: {
      'Return All: HTTP Request node, 100 per page / this node': {
        unit: '×',
        values: ratios(http, node),
        atLeast: 4.5,
      },
      'Return All: HTTP Request node, 30 per page / this node': { unit: '×', values: ratios(plain, node), atLeast: 13 },
      'Return All: this node / undici, 6 at a time': { unit: '×', values: ratios(node, undici), atMost: 1.25 },
    },
    seconds: {
      'HTTP Request node, 30 per page': medianSeconds(plain),
      'HTTP Request node, 100 per page': medianSeconds(http),
      'NeetoForm node': medianSeconds(node),
      'undici, 6 at a time': medianSeconds(undici),
    },
  };
}

/** The memory of the node for 100,000 submissions. */
export async function readLargeForm(harness: Harness): Promise<Part> {
  const service = await harness.startService();
  const { id: formId } = addForm(service, 100_000, 5_000);
  const { peakBytes } = await harness.startClient(service, 'node')({ formId }, 100_000);
  return {
    figures: { 'Return All, 100,000 submissions: memory': { unit: 'MB', values: [peakBytes / 1e6], atMost: 300 } },
  };
}

/** 4,000 submissions from the middle of 10,000, in both orders, and by the HTTP Request node, which reads the oldest first. */
export async function readDateRange(harness: Harness): Promise<Part> {
  const [size, from, to] = [10_000, 3_000, 7_000];
  const service = await harness.startService();
  const { id: formId, times } = addForm(service, size);
  const [submittedAfter = '', submittedBefore = ''] = [from, to].map((index) =>
    new Date(times[index] ?? NaN).toISOString(),
  );
  const [node, http] = [harness.startClient(service, 'node'), harness.startClient(service, 'http')];
  service.quirks.latencyMs = LATENCY_MS;
  const figures: Part['figures'] = {};
  for (const order of ['asc', 'desc'] as const) {
    const range = { submittedAfter, submittedBefore, order };
    const turns = [
      async () => await node({ formId, range }, to - from),
      // With the page that shows the end of the range.
      async () => await http({ formId, range }, to - from + 100),
    ];
    // The first round warms up.
    const [samples = [], others = []] = (await takeTurns(ROUNDS + 1, turns)).map((all) => all.slice(1));
    const name = `Date range, ${order === 'asc' ? 'oldest' : 'newest'} first`;
    const requests = samples.map((sample) => sample.requests);
    figures[`${name}: HTTP Request node / this node`] = { unit: '×', values: ratios(others, samples), atLeast: 3.5 };
    figures[`${name}: requests`] = { values: requests, atMost: (to - from) / 100 + 4 };
  }
  return { figures };
}

function medianSeconds(samples: Sample[]): number {
  return median(samples.map(({ ms }) => ms)) / 1_000;
}

/** How many times as long one took as another, round by round. */
function ratios(samples: Sample[], base: Sample[]): number[] {
  return samples.map(({ ms }, round) => ms / (base[round]?.ms ?? NaN));
}
