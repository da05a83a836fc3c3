import { randomBytes } from 'node:crypto';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Emulator, FaultEffect, Json } from '../../emulator/index.ts';
import { idsOf, MINUTE, SECOND, type PollOutcome } from './harness';
import { beginActive, expectEachOnce, forms, harness, startService, type Setting } from './setup';

let store: Emulator;

beforeEach(async () => {
  store = await startService();
});

afterEach(() => {
  const { apiKey, requests } = harness.emulator;
  const fetched = [...store.requests, ...requests.filter(({ path }) => !path.startsWith('/api/'))];
  expect(fetched.filter(({ headers }) => JSON.stringify(headers).includes(apiKey))).toEqual([]);
});

/** An active trigger that downloads files, while virtual time passes. */
async function begin(setting: Setting = {}): Promise<void> {
  await beginActive({
    objectStoreUrl: store.url,
    passesTime: true,
    options: { downloadFiles: true },
    output: 'simplified',
    ...setting,
  });
  const questions = [{ label: 'Resume', kind: 'file_upload' }];
  for (const id of forms) harness.emulator.workspace.updateForm(id, { questions });
  harness.advance(MINUTE);
}

/** Submits files of these names. @returns the submission's ID */
function submit(names: string[], formId = harness.formId): string {
  harness.advance(SECOND);
  const files = names.map((name): Json => {
    const file = { name, type: 'application/pdf', data: randomBytes(3_000) };
    const { id } = store.workspace.addFile(harness.emulator.workspace.addFile(file));
    return { name, url: `${harness.url}/files/${id}/${name}` };
  });
  return harness.insert({ answers: { resume: { files } } }, formId);
}

const namesOf = (items: INodeExecutionData[]) =>
  items.map(({ binary = {} }) => Object.values(binary).map(({ fileName }) => fileName));
const missingOf = (items: INodeExecutionData[]) => items.map(({ json }) => json['files_not_downloaded']);
/** Files named `slow…` make progress, but take longer than a poll. @returns a function that ends it */
const slowDown = () => store.fail({ when: { path: /\/slow/, every: 1 }, with: { drip: 5, everyMs: 10 } });
/** Files named `slow…` never send a byte. */
const stall = (effect: FaultEffect = { hang: true }) =>
  store.fail({ when: { path: /\/slow/, every: 1 }, with: effect });
/** A file that is missing, and why. */
const missing = (error = '', name = 'slow.pdf') => [
  { question: 'Resume', name, error: expect.stringContaining(error) as unknown },
];

describe.each(['memory', 'durable'] as const)('with cursors kept in %s mode, Download Files', (scheduler) => {
  it('emits each new submission with its files, byte for byte, and once', async () => {
    await begin({ scheduler });
    const ids = [submit(['cv.pdf', 'letter.pdf']), submit([]), submit(['other.pdf'])];
    const { items, ids: emitted } = await harness.poll();
    expect(emitted).toEqual(ids);
    expect(items.map(({ binary = {} }) => Object.keys(binary))).toEqual([['Resume_1', 'Resume_2'], [], ['Resume_1']]);
    expect(
      items.flatMap(({ binary = {} }) => Object.values(binary).map(({ data }) => Buffer.from(data, 'base64'))),
    ).toEqual([...store.workspace.files.values()].map(({ data }) => Buffer.from(data)));
    expect(missingOf(items)).toStrictEqual([undefined, undefined, undefined]);
    await expectEachOnce();
  });

  it('leaves a submission whose files are still coming in to the next poll, with those after it', async () => {
    await begin({ scheduler });
    const stop = slowDown();
    const ids = [submit(['a.pdf']), submit(['slow.pdf']), submit(['c.pdf'])];
    const first = await harness.poll();
    expect(first.ids).toEqual(ids.slice(0, 1));
    expect(namesOf(first.items)).toEqual([['a.pdf']]);
    stop();
    const { items } = await harness.pollNextMinute(() => submit(['d.pdf']));
    expect(namesOf(items)).toEqual([['slow.pdf'], ['c.pdf'], ['d.pdf']]);
    expect(missingOf(items)).toStrictEqual([undefined, undefined, undefined]);
    await expectEachOnce();
  });
});

it('emits at least one submission a poll, with what is missing, so that a slow file stops nothing', async () => {
  await begin();
  slowDown();
  const ids = [submit(['slow.pdf', 'a.pdf']), submit(['slow.pdf']), submit(['c.pdf'])];
  const polls = await harness.pollUntilEmpty();
  expect(polls.map((poll) => poll.ids)).toEqual([ids.slice(0, 1), ids.slice(1), null]);
  expect(polls.map(({ items }) => missingOf(items))).toEqual([[missing()], [missing(), undefined], []]);
  expect(namesOf(polls.flatMap(({ items }) => items))).toEqual([['a.pdf'], [], ['c.pdf']]);
});

it('a poll ends within its budget plus one second while every file drips in without an end', async () => {
  await begin();
  store.fail({ when: { times: Infinity }, with: { drip: 10 } });
  for (let index = 0; index < 12; index++) submit([`${index}.pdf`, `${index}b.pdf`]);
  const { ids, elapsedMs } = await harness.poll();
  expect(ids?.length).toBeGreaterThanOrEqual(1);
  expect(elapsedMs).toBeLessThanOrEqual(46 * SECOND);
});

it('starts no download in the last twentieth of the poll, which is for n8n to store the items', async () => {
  await begin({ passesTime: false });
  submit(['slow.pdf']);
  harness.emulator.onRequest(() => {
    harness.localSkew = 0.96 * 45 * SECOND;
  });
  expect(missingOf((await harness.poll()).items)).toEqual([missing()]);
  expect(store.requests).toEqual([]);
});

it('a file that does not exist is named beside the answers, and its submission is emitted once', async () => {
  await begin();
  store.fail({ when: { path: /gone/ }, with: { status: 404 } });
  submit(['gone.pdf', 'here.pdf']);
  const { items } = await harness.poll();
  expect(namesOf(items)).toEqual([['here.pdf']]);
  expect(missingOf(items)).toEqual([missing('status 404', 'gone.pdf')]);
  await expectEachOnce();
});

it('downloads no file larger than Max File Size', async () => {
  await begin({ options: { downloadFiles: true, maxFileSize: 0.001 } });
  submit(['a.pdf']);
  expect(missingOf((await harness.poll()).items)).toEqual([missing('larger than 0.001 MB', 'a.pdf')]);
});

it('downloads six files at once, and none when Download Files is off', async () => {
  await begin({ passesTime: false });
  store.quirks.latencyMs = 100;
  for (let index = 0; index < 12; index++) submit([`${index}.pdf`]);
  expect((await harness.poll()).ids).toHaveLength(12);
  expect(store.inFlight.max).toBe(6);
  store.requests.length = 0;
  harness.poller.setParameters({ ...harness.parameters(), options: {} });
  submit(['a.pdf']);
  const { items } = await harness.poll();
  expect(items).toHaveLength(1);
  expect(items[0]).not.toHaveProperty('binary');
  expect(store.requests).toEqual([]);
});

describe('a test event', () => {
  it('shows the newest submission with its files, and changes nothing', async () => {
    await begin();
    submit(['old.pdf']);
    const newest = submit(['new.pdf']);
    const { ids, items, staticData, staticDataBefore } = await harness.poll({ mode: 'manual' });
    expect(ids).toEqual([newest]);
    expect(namesOf(items)).toEqual([['new.pdf']]);
    expect(staticData).toEqual(staticDataBefore);
  });

  it('whose files take too long is shown all the same', async () => {
    await begin();
    stall();
    submit(['slow.pdf']);
    expect(missingOf((await harness.poll({ mode: 'manual' })).items)).toEqual([missing()]);
  });
});

it('with several forms, a slow file defers its own form alone, and for a poll', async () => {
  await begin({ watch: 'active', count: 3 });
  slowDown();
  for (const id of forms) for (const name of ['a.pdf', 'slow.pdf', 'c.pdf']) submit([name], id);
  const polls = await harness.pollUntilEmpty();
  // The first poll emits what comes before the slow files; each of the next gets one form past its own.
  expect(polls.map(({ items }) => items.length)).toEqual([3, 2, 2, 2, 0]);
  const items = polls.flatMap((poll) => poll.items);
  expect(missingOf(items).filter((each) => each !== undefined)).toEqual([missing(), missing(), missing()]);
  await expectEachOnce();
});

describe('a file server that sends nothing', () => {
  const stalled = missing(' sent nothing for 10 seconds');
  const pollTwice = async (): Promise<PollOutcome[]> => [await harness.poll(), await harness.pollNextMinute()];

  it.each<[what: string, effect: FaultEffect]>([
    ['before the headers', { hang: true }],
    ['in the middle of the body', { drip: 100, everyMs: 500 }],
  ])('%s, delays ten submissions by two polls at most, each with what is missing', async (_what, effect) => {
    await begin();
    stall(effect);
    const ids = Array.from({ length: 10 }, () => submit(['slow.pdf', 'slow.pdf']));
    const polls = await pollTwice();
    expect(idsOf(polls)).toEqual(ids);
    expect(missingOf(polls.flatMap(({ items }) => items))).toEqual(ids.map(() => [...stalled, ...stalled]));
    await expectEachOnce();
  });

  it('on each of ten hosts, delays ten submissions by two polls at most', async () => {
    const servers = await Promise.all(Array.from({ length: 10 }, async () => await startService()));
    for (const server of servers) server.fail({ when: { times: Infinity }, with: { hang: true } });
    const allowedFileHosts = servers.map(({ url }) => new URL(url).host).join();
    await begin({ options: { downloadFiles: true, allowedFileHosts } });
    const ids = servers.map(({ url }) => {
      const files = [{ name: 'slow.pdf', url: `${url}/files/1/slow.pdf` }];
      return harness.insert({ createdAt: harness.now, answers: { resume: { files } } });
    });
    const polls = await pollTwice();
    expect(idsOf(polls).toSorted()).toEqual(ids.toSorted());
    expect(missingOf(polls.flatMap(({ items }) => items))).toEqual(ids.map(() => missing()));
  });

  it('holds up no file of another submission', async () => {
    await begin();
    stall();
    const ids = [submit(['slow.pdf']), submit(['a.pdf']), submit(['slow.pdf']), submit(['b.pdf'])];
    const { ids: emitted, items } = await harness.poll();
    expect(emitted).toEqual(ids);
    expect(namesOf(items)).toEqual([[], ['a.pdf'], [], ['b.pdf']]);
  });

  it('holds up no form of several', async () => {
    await begin({ watch: 'active', count: 2 });
    stall();
    for (const name of ['slow.pdf', 'a.pdf']) for (const id of forms) submit([name], id);
    await pollTwice();
    await expectEachOnce();
  });
});
