import { type ClientName, type Task, titles } from './clients.ts';
import { addForm, complete, type Harness, type Sample, takeTurns } from './harness.ts';
import { type Figure, figure, median, type Part } from './report.ts';

const LATENCY_MS = 50;

/** All submissions of a form, read by the node, by n8n's HTTP Request node and by a bare client. */
export async function readForms(harness: Harness, isQuick: boolean): Promise<Part> {
  const [sizes, largest, huge] = isQuick ? [[100, 1_000], 1_000, 2_000] : [[100, 1_000, 10_000], 10_000, 100_000];
  const service = await harness.startService(false);
  const start = (client: ClientName) => harness.startClient(service, { client });
  const readHttp = start('http');
  const readers = [start('node'), readHttp, start('undici')];
  const measure = async (size: number, latencyMs: number, rounds = 3) => {
    const formId = addForm(service, size);
    service.quirks.latencyMs = latencyMs;
    const turns = readers.map((read) => async () => complete(await read({ formId }), size));
    const [node = [], http = [], undici = []] = await takeTurns(rounds, turns);
    return { formId, node, http, undici };
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
  const { formId, node, http, undici } = slow.get(largest) ?? (await measure(largest, LATENCY_MS));
  // Pages as the service sends them unless it is asked for more. One round: it takes a third of a minute.
  const plain = [complete(await readHttp({ formId, pageSize: 30 }), largest)];
  const fast = await measure(largest, 0);
  const many = await measure(huge, 0, 1);
  const growth = median(secondsOf(many.node)) / huge / (median(secondsOf(fast.node)) / largest);
  const [text, hugeText] = [largest, huge].map((size) => `${size.toLocaleString('en-US')} submissions`);
  const memory = (many.node[0]?.peakBytes ?? NaN) / (many.undici[0]?.peakBytes ?? NaN);
  const figures = [
    figure(`${text}, 50 ms: ${titles.http}, 100 per page / this node`, '×', ratios(http, node), { atLeast: 4.5 }),
    figure(`${text}, 50 ms: ${titles.http}, 30 per page / this node`, '×', ratios(plain, node), { atLeast: 13 }),
    figure(`${text}, 50 ms: this node / ${titles.undici}`, '×', ratios(node, undici), { atMost: 1.25 }),
    figure(`${text}, no latency: this node / ${titles.http}`, '×', ratios(fast.node, fast.http), { atMost: 1 }),
    figure(`Time per submission, no latency: ${hugeText} / ${text}`, '×', [growth], { atMost: 1.2 }),
    figure(`${hugeText}: memory, this node / ${titles.undici}`, '×', [memory]),
  ];
  return { figures, points };
}

/** 4,000 submissions from the middle of 10,000, in both orders, and by a loop that always reads the oldest first. */
export async function readDateRange(harness: Harness): Promise<Part> {
  const [size, from, to] = [10_000, 3_000, 7_000];
  const service = await harness.startService(false);
  const formId = addForm(service, size);
  const { rows } = service.workspace.log(formId).select({ order: 'asc', offset: 0, limit: size });
  const [submittedAfter = '', submittedBefore = ''] = [from, to].map((place) => rows[place]?.createdAt);
  const read = harness.startClient(service, { client: 'node' });
  const loop = harness.startClient(service, { client: 'loop' });
  service.quirks.latencyMs = LATENCY_MS;
  const figures: Figure[] = [];
  for (const [order, text] of [
    ['asc', 'oldest first'],
    ['desc', 'newest first'],
  ] as const) {
    const task: Task = { formId, range: { submittedAfter, submittedBefore, order } };
    const turns = [read, loop].map((client) => async () => complete(await client(task), to - from));
    // The first round warms up.
    const [samples = [], loops = []] = (await takeTurns(4, turns)).map((all) => all.slice(1));
    const name = `4,000 of 10,000 submissions by date, ${text}`;
    figures.push(
      figure(`${name}, 50 ms: ${titles.loop} / this node`, '×', ratios(loops, samples), { atLeast: 3 }),
      figure(
        `${name}: requests`,
        '',
        samples.map(({ requests }) => requests),
        { atMost: (to - from) / 100 + 4 },
      ),
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
