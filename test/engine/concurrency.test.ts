import type { FaultEffect } from '../../emulator/index.ts';
import { addForms, addSubmissions, useHarness, type Parameters } from '../support/harness';

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

it.each([
  { what: 'input items', parameters: getForm, forms: 60, submissions: 0, items: 60, requests: 60 },
  { what: 'the pages of lists', parameters: readAll, forms: 4, submissions: 350, items: 1400, requests: 16 },
])('at most six requests are under way for $what', async ({ parameters, forms, submissions, items, requests }) => {
  harness.emulator.quirks.latencyMs = 3;
  expect(await runOnForms(parameters, forms, submissions)).toHaveLength(items);
  expect(harness.emulator.requests).toHaveLength(requests);
  expect(harness.emulator.inFlight.max).toBe(6);
});

it.each([
  { what: 'that is given up, input items go', parameters: getForm, forms: 40, submissions: 0, nth: 1, failed: 1 },
  {
    what: 'that is tried again, the pages of a list go',
    parameters: readAll,
    forms: 1,
    submissions: 1500,
    nth: 3,
    failed: 0,
  },
])('after a 429 $what one at a time, in this run only', async ({ parameters, forms, submissions, nth, failed }) => {
  /** For each request, how many were being answered when it came in, itself included. */
  const counts: number[] = [];
  harness.emulator.onRequest(() => {
    counts.push(harness.emulator.inFlight.now);
  });
  harness.emulator.quirks.latencyMs = 2;
  harness.emulator.fail({ when: { nth }, with: slowDown(failed > 0 ? '3600' : '0') });
  const items = await runOnForms(parameters, forms, submissions);
  expect(items.filter(({ error }) => error === undefined)).toHaveLength(Math.max(forms, submissions) - failed);
  // The six that were under way with it, and what came in while they were answered, do not count.
  expect(counts.slice(12).filter((count) => count > 1)).toEqual([]);
  harness.emulator.inFlight.max = 0;
  await runOnForms(getForm, 20, 0);
  expect(harness.emulator.inFlight.max).toBe(6);
});
