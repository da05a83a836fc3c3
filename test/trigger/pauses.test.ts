import { NodeApiError } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import { compare, EACH_ONCE, MINUTE, SECOND } from './outcome';
import { beginActive, forms, harness } from './triggerHarness';

const submissionsOf = (formId = '') => new RegExp(`${formId}/submissions`);

it('a pause that begins in a poll that delivers is reported by the next poll, although one before it was', async () => {
  await beginActive();
  const effect: FaultEffect = { status: 429, headers: { 'retry-after': '300' } };
  harness.emulator.fail({ with: effect });
  expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '429' });
  harness.advance(5 * MINUTE);
  const ids = harness.insertSpread(250, 100);
  harness.emulator.fail({ when: { nth: 2 }, with: effect });
  expect(await harness.poll()).toMatchObject({ ids: ids.slice(0, 100), error: undefined });
  expect(await harness.poll()).toMatchObject({ error: { httpCode: '429' }, requests: [] });
  expect(await harness.poll()).toMatchObject({ ids: null, error: undefined, requests: [] });
  harness.advance(5 * MINUTE);
  await harness.expectEachOnce();
});

it('forms that a poll does not come to because of a pause are not reported', async () => {
  await beginActive({ triggerOn: 'several', count: 20 });
  harness.submitToAll();
  harness.advance(MINUTE);
  const when = { path: submissionsOf(forms[2]) };
  harness.emulator.fail({ when, with: { status: 429, headers: { 'retry-after': '300' } } });
  await harness.poll();
  expect(harness.workflow.reported).toEqual([]);
  harness.advance(5 * MINUTE);
  await harness.expectEachOnce();
});

it('a poll that has no time to wait for the end of the pause fails at once as rate limited', async () => {
  await beginActive();
  harness.breakService({ status: 429, headers: { 'retry-after': '30' } });
  harness.emulator.onRequest(() => harness.advance(9 * SECOND));
  const { error, requests, elapsedMs } = await harness.pollNextMinute();
  expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 30 * SECOND } });
  expect(requests).toHaveLength(1);
  expect(elapsedMs).toBe(9 * SECOND);
});

/** What a poll that sends nothing and reports nothing does. */
const QUIET = { ids: null, error: undefined, requests: [] };

describe('after "429 Retry-After"', () => {
  const limit = (when = {}) =>
    harness.emulator.fail({ when, with: { status: 429, headers: { 'retry-after': '300' } } });

  it('polls before that time send nothing and report nothing again, and the first one after it delivers', async () => {
    await beginActive();
    const stop = limit({ times: Infinity });
    harness.insert();
    const { error, requests, elapsedMs } = await harness.poll();
    expect(requests).toHaveLength(1);
    expect(elapsedMs).toBe(0);
    expect(error instanceof NodeApiError && error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 300_000 });
    stop();
    for (const waitMs of [SECOND, 4 * MINUTE, 58 * SECOND]) {
      harness.advance(waitMs);
      expect(await harness.poll()).toMatchObject(QUIET);
    }
    expect(harness.workflow.reported).toEqual([]);
    harness.advance(SECOND);
    await harness.poll();
    expect(compare(harness.delivered, harness.inserted)).toEqual(EACH_ONCE);
  });

  it('that asks for ten days, an hour is waited', async () => {
    await beginActive();
    harness.emulator.fail({ with: { status: 429, headers: { 'retry-after': '864000' } } });
    const id = harness.insert();
    expect((await harness.poll()).error).toMatchObject({ httpCode: '429' });
    harness.advance(59 * MINUTE);
    expect(await harness.poll()).toMatchObject(QUIET);
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('an activation before that time sends nothing: at the start of n8n it succeeds with a cursor, and fails without one', async () => {
    await beginActive();
    limit();
    await harness.poll();
    harness.emulator.requests.length = 0;
    expect(await harness.activate('init')).toMatchObject(QUIET);
    for (const mode of ['activate', 'init'] as const)
      await expect(harness.newWorkflow().activate(mode)).rejects.toMatchObject({ httpCode: '429' });
    expect((await harness.activate('update')).error).toMatchObject({ httpCode: '429' });
    expect(harness.emulator.requests).toEqual([]);
  });

  it('other triggers with the same credential wait too, each saying so once; those with another one do not', async () => {
    await beginActive();
    const pollers = [harness.newWorkflow(), harness.newWorkflow([{ credentialId: 'another' }])];
    const [same, another] = pollers;
    same?.change({ parameters: { ...harness.parameters(), triggerOn: 'allActive' } });
    for (const poller of pollers) await poller.activate();
    limit();
    expect((await harness.poll()).error).toBeDefined();
    const id = harness.insert();
    harness.emulator.requests.length = 0;
    await expect(same?.poll()).rejects.toMatchObject({ httpCode: '429' });
    expect(await same?.poll()).toBeNull();
    expect(harness.emulator.requests).toEqual([]);
    expect((await another?.poll())?.flat().map(({ json }) => json.id)).toEqual([id]);
    harness.advance(301 * SECOND);
    expect((await same?.poll())?.flat().map(({ json }) => json.id)).toEqual([id]);
  });
});
