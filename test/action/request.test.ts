import type { FaultEffect } from '../../emulator/index.ts';
import { addForms, range, useHarness, type Parameters } from '../support/harness';
import { useFastClock } from './fastClock';

const harness = useHarness();
const FASTER = 50;
useFastClock(FASTER);

const forever = { times: Infinity };
const listForms = { resource: 'form', operation: 'getAll' };
const createForm = { resource: 'form', operation: 'create', title: 'New' };
const slowDown = (retryAfter: string): FaultEffect => ({ status: 429, headers: { 'Retry-After': retryAfter } });

it.each<[what: string, effect: FaultEffect]>([
  ['a 503', { status: 503, body: { error: 'Maintenance' }, headers: { 'Retry-After': '0' } }],
  ['a timeout', { hang: true }],
  ['a body that breaks off', { truncate: true }],
])('a read is sent again after %s, and then returns its items', async (_what, effect) => {
  addForms(harness.emulator, 2);
  harness.emulator.fail({ with: effect });
  // 400 ms of real time: enough for the request that is answered.
  const requestOptions = 'hang' in effect ? { timeout: 400 * FASTER } : {};
  expect(await harness.run({ ...listForms, requestOptions })).toHaveLength(2);
  expect(harness.requests()).toEqual(range(2).map(() => 'GET /v2/forms?order=desc&page=1&page_size=100'));
});

it('a write is sent again after any number of 429s, which the service has not carried out', async () => {
  harness.emulator.fail({ when: { times: 6 }, with: slowDown('0') });
  expect(await harness.run(createForm)).toHaveLength(1);
  const { requests } = harness.emulator;
  expect(requests.map(({ method, body }) => [method, body])).toEqual(
    range(7).map(() => ['POST', { form: { title: 'New' } }]),
  );
});

it.each([
  ['http://127.0.0.1:1', 'The service refused the connection', '(ECONNREFUSED)'],
  // A name that is too long is looked up nowhere.
  [`https://${'a'.repeat(64)}.example`, 'There is no server at this address', '(ENOTFOUND)'],
])('a server that is not there is an error after five attempts, with its code: %s', async (baseUrl, what, code) => {
  const { message, description } = await harness.fail(listForms, { credentials: { ...harness.credentials, baseUrl } });
  expect(message).toBe(`${what} (after 5 attempts)`);
  expect(description).toContain(code);
});

it.each<[what: string, effect: FaultEffect, parameters: Parameters, inputs: number, requests: number]>([
  ['does not wait for the next try', slowDown('50'), listForms, 1, 1],
  ['does not wait for the response', { hang: true }, { ...listForms, requestOptions: { timeout: 300_000 } }, 1, 1],
  ['sends none of the requests that wait for their turn', { hang: true }, createForm, 50, 6],
])('a canceled execution %s', async (_what, effect, parameters, inputs, requests) => {
  harness.emulator.fail({ when: forever, with: effect });
  const controller = new AbortController();
  let canceled = NaN;
  harness.emulator.onRequest(() => {
    if (harness.emulator.requests.length !== requests) return;
    setTimeout(() => {
      canceled = Date.now();
      controller.abort();
    }, 60);
  });
  const items = range(inputs).map(() => ({}));
  const { message } = await harness.fail(parameters, { signal: controller.signal, items });
  // Far less than the pause, or the time that a request may take.
  expect(Date.now() - canceled).toBeLessThan(500);
  expect(message).toMatch(/^The execution was canceled/);
  expect(harness.requests()).toHaveLength(requests);
});

it('Settings > Request Options > Timeout that is no number is refused by its name', async () => {
  const { message } = await harness.fail({ ...listForms, requestOptions: { timeout: 'long' } });
  expect(message).toBe("'Timeout' is not a number: long");
  expect(harness.requests()).toHaveLength(0);
});

it('Settings > Request Options > Timeout ends a request whose response arrives byte by byte, which is sent twice at most', async () => {
  harness.emulator.fail({ when: forever, with: { drip: 1, everyMs: 10 } });
  const begun = Date.now();
  const { message } = await harness.fail({ ...listForms, requestOptions: { timeout: 100 * FASTER } });
  expect(message).toBe('The service did not answer in time (after 2 attempts)');
  expect(Date.now() - begun).toBeLessThan(1_000);
  expect(harness.requests()).toHaveLength(2);
});
