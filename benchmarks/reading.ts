import { type ClientName, type Task, titles } from './clients.ts';
import { addForm, complete, type Harness, type Sample, takeTurns } from './harness.ts';
import { type Figure, figure, median, type Part } from './report.ts';

const LATENCY_MS = 50;
const clients: ClientName[] = ['node', 'http', 'undici'];

/** All submissions of a form, read by the node, by n8n's HTTP Request node and by a bare client. */
export async function readForms(harness: Harness, isQuick: boolean): Promise<Part> {
  const [sizes, largest, huge] = isQuick ? [[100, 1_000], 1_000, 2_000] : [[100, 1_000, 10_000], 10_000, 100_000];
  const service = await harness.startService(false);
  const readers = clients.map((client) => harness.startClient(service, { client }));
  const measure = async (size: number, latencyMs: number, rounds = 3) => {
    const formId = addForm(service, size);
    service.quirks.latencyMs = latencyMs;
    const turns = readers.map((read) => async () => complete(await read({ formId }), size));
    const [node = [], http = [], undici = []] = await takeTurns(rounds, turns);
    return { node, http, undici };
  };
  // Warms up.
  await measure(1_000, 0);

  const slow = new Map<number, Awaited<ReturnType<typeof measure>>>();
  for (const size of sizes) slow.set(size, await measure(size, LATENCY_MS));
  const points = [...slow].flatMap(([x, samples]) =>
    (['node', 'http', 'undici'] as const).map((client) => ({
      chart: 'time-by-size' as const,
      x,
      y: median(secondsOf(samples[client])),
      series: titles[client],
    })),
  );
  const { node, http, undici } = slow.get(largest) ?? (await measure(largest, LATENCY_MS));
  const fast = await measure(largest, 0);
  const many = await measure(huge, 0, 1);
  const growth = median(secondsOf(many.node)) / huge / (median(secondsOf(fast.node)) / largest);
  const [text, hugeText] = [largest, huge].map((size) => `${size.toLocaleString('en-US')} submissions`);
  const memory = (many.node[0]?.peakBytes ?? NaN) / (many.undici[0]?.peakBytes ?? NaN);
  const figures = [
    figure(`${text}, 50 ms: ${titles.http} / this node`, '×', ratios(http, node), { atLeast: 4.5 }),
    figure(`${text}, 50 ms: this node / ${titles.undici}`, '×', ratios(node, undici), { atMost: 1.25 }),
    figure(`${text}, no latency: this node / ${titles.http}`, '×', ratios(fast.node, fast.http), { atMost: 1 }),
    figure(`Time per submission, no latency: ${hugeText} / ${text}`, '×', [growth], { atMost: 1.2 }),
    figure(`${hugeText}: memory, this node / ${titles.undici}`, '×', [memory]),
  ];
  return { figures, points };
}

/** 4,000 submissions from the middle of 10,000, in both orders. */
export async function readDateRange(harness: Harness): Promise<Part> {
  const [size, from, to] = [10_000, 3_000, 7_000];
  const service = await harness.startService(false);
  const formId = addForm(service, size);
  const { rows } = service.workspace.log(formId).select({ order: 'asc', offset: 0, limit: size });
  const [submittedAfter = '', submittedBefore = ''] = [from, to].map((place) => rows[place]?.createdAt);
  const read = harness.startClient(service, { client: 'node' });
  service.quirks.latencyMs = LATENCY_MS;
  const figures: Figure[] = [];
  for (const [order, text] of [
    ['asc', 'oldest first'],
    ['desc', 'newest first'],
  ] as const) {
    const task: Task = { formId, range: { submittedAfter, submittedBefore, order } };
    const [samples = []] = await takeTurns(3, [async () => complete(await read(task), to - from)]);
    const name = `4,000 of 10,000 submissions by date, ${text}`;
    figures.push(
      figure(`${name}: requests`, '', [samples[0]?.requests ?? NaN], { atMost: (to - from) / 100 + 4 }),
      figure(`${name}, 50 ms: time`, 's', secondsOf(samples)),
    );
  }
  return { figures };
}

function secondsOf(samples: Sample[]): number[] {
  return samples.map(({ ms }) => ms / 1_000);
}

/** How many times as long one took as another, round by round. */
function ratios(samples: Sample[], base: Sample[]): number[] {
  return samples.map(({ ms }, round) => ms / (base[round]?.ms ?? NaN));
}
