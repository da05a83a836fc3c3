import { setTimeout as wait } from 'node:timers/promises';

import type { FaultEffect } from '../../emulator/index.ts';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { placeholderNode } from '../support/engine/workflow';
import { addForms, addSubmissions, LONG_AGO, useHarness, type Parameters } from '../support/harness';
import { useFastClock } from './fastClock';

const harness = useHarness();

const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };
const readAll = { ...getForm, resource: 'submission', operation: 'getAll', output: 'raw', returnAll: true };

const slowDown = (retryAfter: string): FaultEffect => ({ status: 429, headers: { 'Retry-After': retryAfter } });

/** Runs an operation on forms that have so many submissions each. */
async function runOnForms(parameters: Parameters, forms: number, submissions: number) {
  const made = addForms(harness.emulator, forms);
  for (const form of made) addSubmissions(harness.emulator, form, submissions);
  return await harness.run(parameters, { items: made.map(({ id }) => ({ id })), continueOnFail: true });
}

it('after a 429 the pages of a list go one at a time, in this run only: else six at a time, of one list as of several input items', async () => {
  /** For each request, how many were being answered when it came in, itself included. */
  const counts: number[] = [];
  harness.emulator.onRequest(() => {
    counts.push(harness.emulator.inFlight);
  });
  harness.emulator.quirks.latencyMs = 2;
  harness.emulator.fail({ when: { nth: 3 }, with: slowDown('0') });
  expect(await runOnForms(readAll, 1, 1500)).toHaveLength(1500);
  // The six that were under way with it, and what came in while they were answered, do not count.
  expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
  harness.emulator.quirks.latencyMs = 50;
  for (const forms of [1, 4]) {
    counts.length = 0;
    expect(await runOnForms(readAll, forms, 1400 / forms)).toHaveLength(1400);
    expect(Math.max(...counts)).toBe(6);
  }
});

it('pages that wait for their turn are not requested any more when the limit is reached', async () => {
  addForms(harness.emulator, 1_500);
  harness.emulator.workspace.addForm({ title: 'Wanted', createdAt: LONG_AGO + 150.5 * 60_000 });
  // Page 2 has it; the last ones that are started ahead wait for those that are slow.
  const match = ({ query }: { query: Record<string, string> }) => Number(query['page']) > 2;
  harness.emulator.fail({ when: { match, times: Infinity }, with: { delayMs: 200 } });
  const wanted = { sort: { order: 'asc' }, filters: { title: 'wanted' }, limit: 1 };
  expect(await harness.run({ resource: 'form', operation: 'getAll', ...wanted })).toHaveLength(1);
  await wait(500);
  expect(harness.emulator.requests.map(({ query }) => query['page'])).not.toContain('9');
});

it('the tools of one agent share neither forms nor a pause', async () => {
  const executeData = { node: placeholderNode(), data: { main: [[{ json: {} }]] }, source: null };
  const [form] = addForms(harness.emulator, 1);
  const getByTitle = { ...getForm, formId: form?.title };
  const run = async (id: string) => await harness.run(getByTitle, { id, asTool: true, executeData });
  expect(await run('first')).toMatchObject([{ json: { id: form?.id } }]);
  harness.emulator.fail({ with: slowDown('3600') });
  await expect(run('first')).rejects.toThrow('limiting the rate');
  const requests = harness.requests().length;
  expect(await run('second')).toMatchObject([{ json: { id: form?.id } }]);
  expect(harness.requests()).toHaveLength(requests + 2);
});

describe('on a clock that runs faster', () => {
  const FASTER = 50;
  useFastClock(FASTER);

  it('an input item waits as long as the service answers others', async () => {
    // The service answers one request in ten seconds.
    let [refused, answered] = [0, NaN];
    const isTooMuch = () => {
      const turn = Math.floor((Date.now() * FASTER) / 10_000);
      const isAnswered = turn !== answered;
      if (!isAnswered) refused++;
      answered = turn;
      return !isAnswered;
    };
    harness.emulator.fail({ when: { times: Infinity, match: isTooMuch }, with: slowDown('15') });
    const items = await runOnForms(getForm, 6, 0);
    expect(items.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(refused).toBeGreaterThan(5);
  });

  it('all of 60 input items give up within a minute when the service answers none', async () => {
    harness.emulator.fail({ when: { times: Infinity }, with: { status: 429 } });
    const sleep = jest.spyOn(systemClock, 'sleep');
    const items = await runOnForms(getForm, 60, 0);
    expect(items.filter(({ error }) => error === undefined)).toEqual([]);
    // Six requests wait at first, then one at a time.
    expect(sleep.mock.calls.reduce((sum, [ms]) => sum + ms, 0)).toBeLessThan(2 * 60_000);
    expect(harness.emulator.requests.length).toBeLessThan(20);
  });
});
