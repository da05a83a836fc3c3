import { randomBytes } from 'node:crypto';
import type { FaultEffect } from '../../emulator/index.ts';
import { addForms, addSubmissions, anyText, range } from '../support/harness';
import { useVirtualClock } from './fastClock';
import { keys, missing, useUploads } from './uploads';

const uploads = useUploads();
const { formWith, harness, read, readForm, submitFiles, upload } = uploads;

// Numbers that documents and messages promise, with the defaults that are shipped. Those of the trigger are in test/trigger/numbers.test.ts.

const clock = useVirtualClock();

const MEGABYTE = 1024 ** 2;
const always = { times: Infinity };
const getForms = { resource: 'form', operation: 'getAll' };

/** Runs an operation on a service that fails. @returns its error, how long it took, and when each request arrived (seconds) */
async function measure(effect: FaultEffect, parameters: Record<string, unknown> = getForms) {
  const times: number[] = [];
  const began = clock.now();
  harness.emulator.onRequest(() => void times.push((clock.now() - began) / 1_000));
  harness.emulator.fail({ when: always, with: effect });
  const { message, seconds } = await clock.measure(harness.run(parameters));
  return { message, seconds, times };
}

/** So many seconds, or up to 0.9 more: time passes while requests and responses are under way. */
const about = (seconds: number): unknown => expect.closeTo(seconds + 0.4, 0);

const busy = (seconds: number): FaultEffect => ({
  status: 503,
  headers: { 'retry-after': `${seconds}` },
  body: { error: 'Busy' },
});

describe('a request', () => {
  it('is given up by an attempt after 30 seconds, and sent twice at most', async () => {
    const { message, seconds, times } = await measure({ hang: true });
    expect(message).toBe('The service did not answer in time (after 2 attempts)');
    expect([...times, seconds]).toEqual([about(0), about(30), about(60)]);
  });

  it.each([
    [28, 3],
    [31, 2],
  ])('is sent again for a minute: every %i seconds, %i times', async (every, attempts) => {
    const { message, times } = await measure(busy(every));
    expect(message).toContain(`(after ${attempts} attempts)`);
    expect(times).toEqual(range(attempts).map((index) => about(index * every)));
  });

  it.each([
    [57, 2],
    [61, 1],
  ])(
    'waits for a pause of a minute at most: after one of %i seconds, there are %i requests',
    async (pause, requests) => {
      const effect = { status: 429, headers: { 'retry-after': `${pause}` } };
      harness.emulator.fail({ with: effect });
      await clock.measure(harness.run(getForms));
      expect(harness.requests()).toHaveLength(requests);
    },
  );

  it('fails with 2,000 characters of what the service says', async () => {
    const { message } = await measure({ status: 400, body: { error: 'x'.repeat(2_001) } });
    expect(message).toMatch(/^x{2000}$/);
  });
});

it('lists of forms and of roles in the editor are given up after ten seconds', async () => {
  harness.emulator.fail({ when: always, with: { hang: true } });
  for (const method of ['getForms', 'getRoles'] as const) {
    const measured = await clock.measure(harness.options(method));
    expect(measured).toEqual({ message: 'The service did not answer in time', seconds: about(10) });
  }
});

it('a range is counted five times when its form changes each time', async () => {
  formWith();
  addSubmissions(harness.emulator, uploads.form, 10);
  harness.emulator.onRequest(() => void harness.emulator.workspace.addSubmission(uploads.form.id));
  const filters = { submittedBefore: '2025-01-06T09:05:00Z' };
  const { message } = await clock.measure(readForm({ operation: 'count', filters }));
  expect(message).toMatch(/it was different each time/);
  expect(harness.requests()).toHaveLength(5 * 3);
});

it.each([
  [1, 1],
  [2, undefined],
])('a range may be counted from %i second earlier, because a service may leave out fractions', async (step, count) => {
  formWith();
  const noon = Date.parse('2026-02-09T12:00:00Z');
  addSubmissions(harness.emulator, uploads.form, 1, { createdAt: noon });
  const round = (time = '') => new Date(noon + Math.floor((Date.parse(time) - noon) / 1_000 / step) * step * 1_000);
  const reread: FaultEffect['reread'] = ({ submitted_after: after, ...query }) => ({
    ...query,
    submitted_after: round(after).toISOString(),
  });
  harness.emulator.fail({ when: { ...always, path: /submissions$/ }, with: { reread } });
  const filters = { submittedAfter: new Date(noon + step * 1_000 - 1).toISOString() };
  const counting = readForm({ operation: 'count', filters }, { continueOnFail: true });
  const { result } = await clock.measure(counting);
  expect(result).toMatchObject([
    count === undefined ? { json: { error: anyText(/ignores 'submitted_after'/) } } : { json: { count } },
  ]);
});

it('a title that several forms have is answered with five of them', async () => {
  for (const { id } of addForms(harness.emulator, 6)) harness.emulator.workspace.updateForm(id, { title: 'Same' });
  const { message } = await clock.measure(harness.run({ ...getForms, operation: 'get', formId: 'Same' }));
  expect(message?.match(/Same \(/g)).toHaveLength(5);
});

describe('a file', () => {
  it('may have 10 MB by default', async () => {
    submitFiles(upload('a', randomBytes(10 * MEGABYTE)), upload('b', randomBytes(10 * MEGABYTE + 1)));
    const { result: [item] = [] } = await clock.measure(read());
    expect(keys(item)).toEqual(['Resume_1']);
    expect(missing(item)).toMatchObject([{ name: 'b', error: anyText(/larger than 10 MB/) }]);
  });

  it('must arrive within a minute', async () => {
    uploads.store.fail({ with: { status: 200, drip: 1, everyMs: 15, body: 'x'.repeat(10_000) } });
    submitFiles();
    const { result: [item] = [], seconds } = await clock.measure(read());
    expect(missing(item)).toMatchObject([{ error: anyText(/did not arrive within 60 seconds/) }]);
    expect(seconds).toEqual(about(60));
  });

  it('fails when its server sends nothing for ten seconds', async () => {
    uploads.store.fail({ with: { hang: true } });
    submitFiles();
    const { result: [item] = [], seconds } = await clock.measure(read());
    expect(missing(item)).toMatchObject([{ error: anyText(/sent nothing for 10 seconds/) }]);
    expect(seconds).toEqual(about(10));
  });
});
