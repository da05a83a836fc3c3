import { poll } from '../../nodes/NeetoForm/polling/poll';
import type { FaultEffect } from '../../emulator/index.ts';
import { MINUTE, SECOND } from './harness';
import { beginActive, expectEachOnce, harness, forms, submitToAll } from './setup';

/** ms that a poll may take: its budget, and a second. */
const LIMIT = 46 * SECOND;

const IN_TIME = { message: expect.stringContaining('in time') as unknown };

describe.each<[string, FaultEffect]>([
  ['drips a byte every second', { drip: 1 }],
  ['stops after its first byte', { drip: 1, everyMs: 60 * MINUTE }],
  ['never comes', { hang: true }],
])('when a response %s', (_, effect) => {
  it('over a real connection, a poll ends with its budget, and the next one delivers', async () => {
    // Real time passes here, and an activation takes some of it on a busy computer.
    const pollBudgetMs = 2 * SECOND;
    await beginActive({ polls: async (context) => await poll(context), pollBudgetMs });
    const stop = harness.breakService(effect);
    const started = performance.now();
    expect((await harness.pollNextMinute(() => harness.insert())).error).toMatchObject(IN_TIME);
    expect(performance.now() - started).toBeLessThan(pollBudgetMs + 4 * SECOND);
    stop();
    expect((await harness.poll()).ids).toEqual(harness.inserted);
  });

  it('a poll of several forms delivers the other forms within its budget plus one second', async () => {
    await beginActive({ transport: 'inject', triggerOn: 'allActive' });
    const stop = harness.breakService(effect, `${forms[0]}/submissions`);
    const [, ...others] = submitToAll();
    const first = await harness.pollNextMinute();
    expect(first.elapsedMs).toBeLessThanOrEqual(LIMIT);
    expect(first.ids?.toSorted()).toEqual(others.toSorted());
    stop();
    await expectEachOnce();
  });

  it('a restart with a known cursor comes up within the budget, and delivers afterward', async () => {
    await beginActive({ transport: 'inject' });
    harness.insert();
    const stop = harness.breakService(effect);
    const restart = await harness.restart();
    expect(restart).toMatchObject({ ids: null, error: undefined });
    expect(restart?.elapsedMs).toBeLessThanOrEqual(LIMIT);
    stop();
    await expectEachOnce();
  });

  it('Fetch Test Event ends within the budget plus one second', async () => {
    await beginActive({ transport: 'inject' });
    harness.breakService(effect);
    const { error, elapsedMs } = await harness.poll({ mode: 'manual' });
    expect(error).toMatchObject(IN_TIME);
    expect(elapsedMs).toBeLessThanOrEqual(LIMIT);
  });
});

it.each([
  ['its time', {}, 400, 949],
  ['the part of its time that is not for files', { downloadFiles: true }, 150, 400],
])('stops reading when %s is up, and the next polls continue there', async (_, options, least, most) => {
  await beginActive({ transport: 'inject', latencyMs: 6 * SECOND, options });
  harness.advance(MINUTE);
  const ids = harness.insertSpread(950, 60);
  const { elapsedMs, ids: first } = await harness.poll();
  expect(elapsedMs).toBeLessThanOrEqual(45 * SECOND);
  expect(first?.length).toBeGreaterThanOrEqual(least);
  expect(first?.length).toBeLessThanOrEqual(most);
  await harness.pollFor(20 * MINUTE);
  expect(harness.delivered).toEqual(ids);
});
