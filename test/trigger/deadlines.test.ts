import { setTimeout as wait } from 'node:timers/promises';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { poll } from '../../nodes/NeetoForm/polling/poll';
import type { FaultEffect } from '../../emulator/index.ts';
import { runNode } from '../support/engine';
import {
  compare,
  createHarness,
  EACH_ONCE,
  MINUTE,
  SECOND,
  type HarnessOptions,
  type PollOutcome,
  type TriggerHarness,
} from './harness';

jest.setTimeout(30_000);

/** ms that a poll in real time gets. */
const BUDGET = 1_500;

const NEVER_ENDING: Array<[string, FaultEffect]> = [
  ['drips a byte every few milliseconds', { drip: 1 }],
  ['stops after its headers', { hang: 'after headers' }],
  ['never comes', { hang: true }],
];

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness(options);
};
/** A trigger that is active, on this computer's clock. */
const beginInRealTime = async (options?: HarnessOptions) => {
  await begin({ polls: async (context) => await poll(context), pollBudgetMs: BUDGET, ...options });
  await harness.activate();
  harness.advance(MINUTE);
};
const timed = async (act: () => Promise<PollOutcome>) => {
  const started = performance.now();
  const outcome = await Promise.race([act(), wait(4 * BUDGET, 'the poll never ended' as const, { ref: false })]);
  return { outcome, ms: performance.now() - started };
};

afterEach(async () => await harness.close());

describe.each(NEVER_ENDING)('when a response %s', (_, effect) => {
  it('a poll ends with an error within its budget plus one second, and the next one delivers', async () => {
    await beginInRealTime();
    const id = harness.insert();
    const stop = harness.emulator.fail({ when: { every: 1 }, with: effect });
    const { outcome, ms } = await timed(async () => await harness.poll());
    expect(outcome).toMatchObject({ ids: null, error: { message: expect.stringContaining('in time') as unknown } });
    expect(ms).toBeLessThan(BUDGET + SECOND);
    stop();
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('a poll of several forms delivers the other forms within its budget plus one second', async () => {
    await begin({ transport: 'inject', parameters: { watch: 'active' } });
    const other = harness.emulator.workspace.addForm({ title: 'Other' });
    await harness.activate();
    const ids = [harness.insert(), harness.insert({}, other.id)];
    const stop = harness.emulator.fail({
      when: { path: new RegExp(`${harness.formId}/submissions`), every: 1 },
      with: effect,
    });
    const first = await harness.pollNextMinute();
    expect(first.elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    expect(first.ids).toEqual(ids.slice(1));
    stop();
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
  });

  it('a restart with a known cursor comes up within the budget, and delivers afterward', async () => {
    await begin({ transport: 'inject' });
    await harness.activate();
    const id = harness.insert();
    const stop = harness.emulator.fail({ when: { every: 1 }, with: effect });
    const restart = await harness.restart();
    expect(restart).toMatchObject({ ids: null, error: undefined });
    expect(restart?.elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    stop();
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('Fetch Test Event ends within the budget plus one second', async () => {
    await beginInRealTime();
    harness.insert();
    harness.emulator.fail({ when: { every: 1 }, with: effect });
    const { outcome, ms } = await timed(async () => await harness.poll({ mode: 'manual' }));
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining('in time') as unknown } });
    expect(ms).toBeLessThan(BUDGET + SECOND);
  });
});

it('delivers each submission once while every response drips in slowly, but whole', async () => {
  await begin({ transport: 'inject' });
  await harness.activate();
  harness.emulator.fail({ when: { every: 1 }, with: { drip: 1_000, everyMs: 100 } });
  const ids: string[] = [];
  for (let minute = 0; minute < 10; minute++) {
    ids.push(harness.insert(), harness.insert());
    const { elapsedMs, error } = await harness.pollNextMinute();
    expect(error).toBeUndefined();
    expect(elapsedMs).toBeLessThanOrEqual(46 * SECOND);
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it('ends an operation at the Timeout of its options although the response never ends', async () => {
  await begin();
  harness.emulator.fail({ when: { every: 1 }, with: { drip: 1 } });
  const started = performance.now();
  const parameters = { resource: 'form', operation: 'get', formId: { __rl: true, mode: 'id', value: harness.formId } };
  const run = runNode(new NeetoForm(), {
    credentials: { baseUrl: harness.emulator.url, apiKey: harness.emulator.apiKey },
    parameters: { ...parameters, requestOptions: { timeout: 500 } },
  });
  await expect(Promise.race([run, wait(10_000, 'never ended', { ref: false })])).rejects.toThrow('in time');
  // A read is tried again.
  expect(performance.now() - started).toBeLessThan(10_000);
});

it('stops reading when its time is up, and the next polls continue there', async () => {
  await begin({ transport: 'inject', latencyMs: 6 * SECOND });
  await harness.activate();
  harness.advance(MINUTE);
  const ids = harness.insertMany(950, (index) => ({ createdAt: harness.now - (950 - index) * 60 }));
  const { elapsedMs, ids: first } = await harness.poll();
  expect(elapsedMs).toBeLessThanOrEqual(45 * SECOND);
  expect(first?.length).toBeGreaterThan(400);
  expect(first?.length).toBeLessThan(950);
  // What is read again before it counts as settled takes the time of the next polls.
  for (let minute = 0; minute < 20; minute++) await harness.pollNextMinute();
  expect(harness.delivered).toEqual(ids);
});
