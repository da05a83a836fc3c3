import type { FaultEffect } from '../../emulator/index.ts';
import { addForms, addSubmissions, jsons, range, useHarness, type Parameters } from '../support/harness';

const harness = useHarness();

const getForm = { resource: 'form', operation: 'get', formId: '={{ $json.id }}' };
const readAll = {
  resource: 'submission',
  operation: 'getAll',
  output: 'raw',
  formId: '={{ $json.id }}',
  returnAll: true,
};

const slowDown = (retryAfter: string): FaultEffect => ({
  status: 429,
  headers: { 'Retry-After': retryAfter },
  body: { error: 'Slow down' },
});

/** Runs an operation on forms that have so many submissions each. */
async function runOnForms(parameters: Parameters, forms: number, submissions: number) {
  const made = addForms(harness.emulator, forms);
  for (const form of made) addSubmissions(harness.emulator, form, submissions);
  return await harness.run(parameters, { items: made.map(({ id }) => ({ id })), continueOnFail: true });
}

describe('requests under way at once', () => {
  it.each([
    { what: 'hundreds of input items', parameters: getForm, forms: 300, submissions: 0, items: 300, requests: 300 },
    { what: 'the pages of one list', parameters: readAll, forms: 1, submissions: 1200, items: 1200, requests: 12 },
    { what: 'the pages of many lists', parameters: readAll, forms: 8, submissions: 350, items: 2800, requests: 32 },
  ])('are six at most, for $what', async ({ parameters, forms, submissions, items, requests }) => {
    harness.emulator.quirks.latencyMs = 3;
    expect(await runOnForms(parameters, forms, submissions)).toHaveLength(items);
    expect(harness.emulator.requests).toHaveLength(requests);
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are six at most, for writes', async () => {
    harness.emulator.quirks.latencyMs = 10;
    const items = await harness.run(
      { resource: 'form', operation: 'create', title: '={{ $json.title }}' },
      { items: range(40).map((index) => ({ title: `Form ${index}` })) },
    );
    expect(jsons(items).map(({ title }) => title)).toEqual(range(40).map((index) => `Form ${index}`));
    expect(harness.emulator.inFlight.max).toBe(6);
  });

  it('are as many again for another run of the node: the first run leaves nothing behind', async () => {
    harness.emulator.fail({ with: slowDown('0') });
    await runOnForms(getForm, 8, 0);
    harness.emulator.inFlight.max = 0;
    harness.emulator.quirks.latencyMs = 10;
    await runOnForms(getForm, 40, 0);
    expect(harness.emulator.inFlight.max).toBe(6);
  });
});

describe('after the first "too many requests"', () => {
  it.each([
    { what: 'that is tried again, the rest goes', parameters: getForm, forms: 40, submissions: 0, requests: 41 },
    { what: 'that is given up, the rest goes', parameters: getForm, forms: 40, submissions: 0, requests: 40 },
    { what: 'the pages of a list go', parameters: readAll, forms: 1, submissions: 1500, requests: 16 },
  ])('$what one at a time, and all come', async ({ what, parameters, forms, submissions, requests }) => {
    const isGivenUp = what.includes('given up');
    /** For each request, how many were being answered when it came in, itself included. */
    const counts: number[] = [];
    harness.emulator.onRequest(() => {
      counts.push(harness.emulator.inFlight.now);
    });
    harness.emulator.quirks.latencyMs = 2;
    harness.emulator.fail({ when: { nth: submissions > 0 ? 3 : 1 }, with: slowDown(isGivenUp ? '3600' : '0') });
    const items = await runOnForms(parameters, forms, submissions);
    expect(items.filter(({ error }) => error === undefined)).toHaveLength(
      submissions > 0 ? submissions : forms - Number(isGivenUp),
    );
    // The six that were under way with it, and what came in while they were answered, do not count.
    expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
    expect(counts).toHaveLength(requests);
  });
});

it("n8n's batching spaces the items out", async () => {
  const requestOptions = { batching: { batch: { batchSize: 2, batchInterval: 300 } } };
  await runOnForms({ ...getForm, requestOptions }, 6, 0);
  const times = harness.emulator.requests.map(({ at }) => at);
  const since = (index: number) => (times[index] ?? NaN) - (times[0] ?? NaN);
  expect(times).toHaveLength(6);
  // On a busy machine the first request may arrive late.
  expect(since(2)).toBeGreaterThanOrEqual(200);
  expect(since(4)).toBeGreaterThanOrEqual(500);
  expect(since(1)).toBeLessThan(since(2));
  expect(since(3)).toBeLessThan(since(4));
});
