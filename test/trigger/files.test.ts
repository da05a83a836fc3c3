import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { INodeExecutionData } from 'n8n-workflow';
import { type Emulator, type FaultEffect, type Form, type Json, startEmulator } from '../../emulator/index.ts';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import { createHarness, MINUTE, SECOND, START, type TriggerHarness, type HarnessOptions } from './harness';
import { createVirtualClock, type VirtualClock } from './virtualClock';

jest.setTimeout(30_000);

/** ms that a poll gets. */
const BUDGET = 2_000;

let store: Emulator;
let service: Emulator;
let clock: VirtualClock;
let harness: TriggerHarness;
let form: Form;

beforeEach(async () => {
  store = await startEmulator();
  clock = createVirtualClock(START);
  service = await startEmulator({ clock, objectStoreUrl: store.url });
});

afterEach(async () => {
  const { apiKey } = service;
  const fetched = [...store.requests, ...service.requests.filter(({ path }) => !path.startsWith('/api/'))];
  expect(fetched.filter(({ headers }) => JSON.stringify(headers).includes(apiKey))).toEqual([]);
  await service.close();
  await store.close();
});

function addForm(): Form {
  return service.workspace.addForm({ title: 'Jobs', questions: [{ label: 'Resume', kind: 'file_upload' }] });
}

/** An active trigger that downloads files, on this computer's clock. */
async function begin(options: HarnessOptions = {}): Promise<void> {
  form = addForm();
  harness = await createHarness({
    emulator: service,
    clock,
    formId: form.id,
    polls: async (context) => await poll(context),
    options: { downloadFiles: true },
    output: 'simplified',
    ...options,
  });
  await harness.activate();
  harness.advance(MINUTE);
}

/** Submits files of these names. @returns the submission's ID */
function submit(names: string[], { id: formId } = form): string {
  harness.advance(SECOND);
  const files = names.map((name): Json => {
    const file = service.workspace.addFile({ name, type: 'application/pdf', data: randomBytes(3_000) });
    store.workspace.addFile(file);
    return { name, url: `${service.url}/files/${file.id}/${name}` };
  });
  return service.workspace.addSubmission(formId, { answers: { resume: { files } } }).id;
}

const pollNow = async (over = {}): Promise<INodeExecutionData[]> => (await harness.poller.poll(over))?.flat() ?? [];
const idsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json['id']);
const namesOf = (items: INodeExecutionData[]) =>
  items.map(({ binary = {} }) => Object.values(binary).map(({ fileName }) => fileName));
const missingOf = (items: INodeExecutionData[]) => items.map(({ json }) => json['files_not_downloaded']);
/** Files named `slow…` make progress, but take a minute. @returns a function that ends it */
const slowDown = () => store.fail({ when: { path: /\/slow/, every: 1 }, with: { drip: 5, everyMs: 100 } });
/** Files named `slow…` never send a byte. */
const stall = () => store.fail({ when: { path: /\/slow/, every: 1 }, with: { hang: true } });
/** A clock on which the minutes of a test take seconds. */
function fastClock(factor: number) {
  const started = Date.now();
  return {
    now: () => started + (Date.now() - started) * factor,
    sleep: async (ms: number) => {
      await wait(ms / factor);
    },
    timeout: (ms: number) => AbortSignal.timeout(Math.ceil(ms / factor)),
  };
}

const MISSING = [{ question: 'Resume', name: 'slow.pdf', error: expect.any(String) as unknown }];

describe.each(['memory', 'durable'] as const)('with cursors kept in %s mode, Download Files', (scheduler) => {
  it('emits each new submission with its files, byte for byte, and once', async () => {
    await begin({ scheduler });
    const ids = [submit(['cv.pdf', 'letter.pdf']), submit([]), submit(['other.pdf'])];
    const items = await pollNow();
    expect(idsOf(items)).toEqual(ids);
    expect(items.map(({ binary = {} }) => Object.keys(binary))).toEqual([['Resume_1', 'Resume_2'], [], ['Resume_1']]);
    const sent = [...store.workspace.files.values()].map(({ data }) => Buffer.from(data));
    expect(
      items.flatMap(({ binary = {} }) => Object.values(binary).map(({ data }) => Buffer.from(data, 'base64'))),
    ).toEqual(sent);
    expect(missingOf(items)).toEqual([undefined, undefined, undefined]);
    harness.advance(MINUTE);
    expect(await harness.poller.poll()).toBeNull();
  });

  it('leaves a submission whose files are still coming in to the next poll, with those after it, and loses and repeats none', async () => {
    await begin({ scheduler, pollBudgetMs: BUDGET });
    const stop = slowDown();
    const ids = [submit(['a.pdf']), submit(['slow.pdf']), submit(['c.pdf'])];
    const first = await pollNow();
    expect(idsOf(first)).toEqual(ids.slice(0, 1));
    expect(namesOf(first)).toEqual([['a.pdf']]);
    stop();
    harness.advance(MINUTE);
    const late = submit(['d.pdf']);
    const second = await pollNow();
    expect(idsOf(second)).toEqual([...ids.slice(1), late]);
    expect(namesOf(second)).toEqual([['slow.pdf'], ['c.pdf'], ['d.pdf']]);
    expect(missingOf(second)).toEqual([undefined, undefined, undefined]);
    harness.advance(MINUTE);
    expect(await harness.poller.poll()).toBeNull();
  });

  it('emits at least one submission a poll, with what is missing, so that a slow file stops nothing', async () => {
    await begin({ scheduler, pollBudgetMs: BUDGET });
    slowDown();
    const ids = [submit(['slow.pdf', 'a.pdf']), submit(['slow.pdf']), submit(['c.pdf'])];
    const polls: INodeExecutionData[][] = [];
    for (let count = 0; count < 3; count++) {
      polls.push(await pollNow());
      harness.advance(MINUTE);
    }
    expect(polls.map(idsOf)).toEqual([[ids[0]], ids.slice(1), []]);
    expect(polls.map(missingOf)).toEqual([[MISSING], [MISSING, undefined], []]);
    expect(namesOf(polls.flat())).toEqual([['a.pdf'], [], ['c.pdf']]);
  });
});

it('a poll ends within its budget plus one second while every file drips in without an end', async () => {
  await begin({ pollBudgetMs: BUDGET });
  store.fail({ when: { times: Infinity }, with: { drip: 10 } });
  for (let index = 0; index < 12; index++) submit([`${index}.pdf`, `${index}b.pdf`]);
  const started = performance.now();
  expect((await pollNow()).length).toBeGreaterThanOrEqual(1);
  expect(performance.now() - started).toBeLessThan(BUDGET + SECOND);
});

it('starts no download in the last twentieth of the poll, which is for n8n to store the items', async () => {
  let passed = 0;
  const clock = { ...systemClock, now: () => Date.now() + passed };
  await begin({ polls: async (context) => await poll(context, clock) });
  submit(['slow.pdf']);
  service.onRequest(() => {
    passed = 0.96 * 45_000;
  });
  expect(missingOf(await pollNow())).toEqual([MISSING]);
  expect(store.requests).toEqual([]);
});

it('a file that does not exist is named beside the answers, and its submission is emitted once', async () => {
  await begin();
  store.fail({ when: { path: /gone/ }, with: { status: 404 } });
  submit(['gone.pdf', 'here.pdf']);
  const items = await pollNow();
  expect(namesOf(items)).toEqual([['here.pdf']]);
  expect(missingOf(items)).toEqual([
    [{ question: 'Resume', name: 'gone.pdf', error: expect.stringContaining('status 404') as unknown }],
  ]);
  expect(await harness.poller.poll()).toBeNull();
});

it('downloads no file larger than Max File Size', async () => {
  await begin({ options: { downloadFiles: true, maxFileSize: 0.001 } });
  submit(['a.pdf']);
  expect(missingOf(await pollNow())).toEqual([
    [expect.objectContaining({ error: expect.stringContaining('larger than 0.001 MB') as unknown })],
  ]);
});

it('downloads six files at once, and none when Download Files is off', async () => {
  await begin();
  store.quirks.latencyMs = 100;
  for (let index = 0; index < 12; index++) submit([`${index}.pdf`]);
  expect(await pollNow()).toHaveLength(12);
  expect(store.inFlight.max).toBe(6);
  store.requests.length = 0;
  harness.poller.setParameters({ ...harness.parameters(), options: {} });
  submit(['a.pdf']);
  const [item] = await pollNow();
  expect(item).not.toHaveProperty('binary');
  expect(store.requests).toEqual([]);
});

it('a test event shows the newest submission with its files, and changes nothing', async () => {
  await begin();
  submit(['old.pdf']);
  const newest = submit(['new.pdf']);
  const before = harness.storedStaticData;
  const shown = await pollNow({ mode: 'manual' });
  expect(idsOf(shown)).toEqual([newest]);
  expect(namesOf(shown)).toEqual([['new.pdf']]);
  expect(harness.storedStaticData).toEqual(before);
});

it('a test event whose files take too long is shown all the same', async () => {
  await begin({ pollBudgetMs: BUDGET });
  stall();
  submit(['slow.pdf']);
  expect(missingOf(await pollNow({ mode: 'manual' }))).toEqual([MISSING]);
});

it('with several forms, a slow file defers its own form alone, and for a poll', async () => {
  const others = [addForm(), addForm()];
  await begin({ pollBudgetMs: BUDGET, parameters: { watch: 'active' } });
  slowDown();
  const forms = [form, ...others];
  const ids = forms.flatMap((each) => [submit(['a.pdf'], each), submit(['slow.pdf'], each), submit(['c.pdf'], each)]);
  const polls: INodeExecutionData[][] = [];
  for (let count = 0; count < 5; count++) {
    polls.push(await pollNow());
    harness.advance(MINUTE);
  }
  // The first poll emits what comes before the slow files; each of the next gets one form past its own.
  expect(polls.map(({ length }) => length)).toEqual([3, 2, 2, 2, 0]);
  expect(idsOf(polls.flat()).toSorted()).toEqual(ids.toSorted());
  expect(missingOf(polls.flat()).filter((missing) => missing !== undefined)).toEqual([MISSING, MISSING, MISSING]);
});

describe('a file server that sends nothing', () => {
  it('delays ten submissions by two polls at most, each with what is missing', async () => {
    const fast = fastClock(10);
    await begin({ polls: async (context) => await poll(context, fast) });
    stall();
    const ids = Array.from({ length: 10 }, () => submit(['slow.pdf']));
    const items = [...(await pollNow()), ...(await pollNow())];
    expect(idsOf(items)).toEqual(ids);
    expect(missingOf(items)).toEqual(ids.map(() => MISSING));
    expect((await pollNow()).length).toBe(0);
  });

  it('holds up no file of another submission', async () => {
    const fast = fastClock(10);
    await begin({ polls: async (context) => await poll(context, fast) });
    stall();
    const ids = [submit(['slow.pdf']), submit(['a.pdf']), submit(['slow.pdf']), submit(['b.pdf'])];
    const items = await pollNow();
    expect(idsOf(items)).toEqual(ids);
    expect(namesOf(items)).toEqual([[], ['a.pdf'], [], ['b.pdf']]);
  });

  it('holds up no form of several', async () => {
    const other = addForm();
    await begin({ pollBudgetMs: BUDGET, parameters: { watch: 'active' } });
    stall();
    const ids = [submit(['slow.pdf']), submit(['slow.pdf'], other), submit(['a.pdf'], other)];
    const items = [...(await pollNow()), ...(await pollNow())];
    expect(idsOf(items).toSorted()).toEqual(ids.toSorted());
  });
});

describe('in polls of 45 seconds', () => {
  const beginFast = async () => {
    const clock = fastClock(10);
    await begin({ polls: async (context) => await poll(context, clock) });
  };

  it.each<[what: string, effect: FaultEffect]>([
    ['before the headers', { hang: true }],
    ['in the middle of the body', { drip: 100, everyMs: 5_000 }],
  ])('ten submissions whose files all hang, %s, are emitted in at most two polls', async (_what, effect) => {
    await beginFast();
    store.fail({ when: { times: Infinity }, with: effect });
    const ids = Array.from({ length: 10 }, () => submit(['a.pdf', 'b.pdf']));
    const first = await pollNow();
    harness.advance(MINUTE);
    const items = [...first, ...(await pollNow())];
    expect(idsOf(items)).toEqual(ids);
    const error = expect.stringContaining(' sent nothing for 10 seconds') as unknown;
    expect(missingOf(items)).toEqual(
      ids.map(() => ['a.pdf', 'b.pdf'].map((name) => ({ question: 'Resume', name, error }))),
    );
  });

  it('so are ten whose files hang on ten servers', async () => {
    await beginFast();
    const servers = await Promise.all(Array.from({ length: 10 }, async () => await startEmulator()));
    for (const server of servers) server.fail({ when: { times: Infinity }, with: { hang: true } });
    harness.poller.setParameters({
      ...harness.parameters(),
      options: { downloadFiles: true, allowedFileHosts: servers.map(({ url }) => new URL(url).host).join() },
    });
    const ids = servers.map(({ url }) => {
      harness.advance(SECOND);
      return service.workspace.addSubmission(form.id, {
        answers: { resume: { files: [{ name: 'a.pdf', url: `${url}/files/1/a.pdf` }] } },
      }).id;
    });
    const first = await pollNow();
    harness.advance(MINUTE);
    const items = [...first, ...(await pollNow())];
    expect(idsOf(items)).toEqual(ids);
    expect(missingOf(items).filter((missing) => missing === undefined)).toEqual([]);
    await Promise.all(servers.map(async (server) => await server.close()));
  });

  it('a file that takes longer than ten seconds, but never stops, arrives', async () => {
    await beginFast();
    // 3,000 bytes in 15 parts of one second: 0.1 s each on this clock.
    store.fail({ with: { drip: 200, everyMs: 100 } });
    const id = submit(['a.pdf']);
    const items = await pollNow();
    expect(idsOf(items)).toEqual([id]);
    expect(missingOf(items)).toEqual([undefined]);
    expect(namesOf(items)).toEqual([['a.pdf']]);
  });

  it('a download that makes progress defers its submission to the next poll', async () => {
    await beginFast();
    const stop = store.fail({ when: { path: /\/slow/, times: Infinity }, with: { drip: 10, everyMs: 200 } });
    const ids = [submit(['a.pdf']), submit(['slow.pdf']), submit(['c.pdf'])];
    const first = await pollNow();
    expect(idsOf(first)).toEqual(ids.slice(0, 1));
    stop();
    harness.advance(MINUTE);
    const second = await pollNow();
    expect(idsOf(second)).toEqual(ids.slice(1));
    expect(missingOf(second)).toEqual([undefined, undefined]);
  });
});
