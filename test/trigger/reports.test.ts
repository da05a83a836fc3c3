import { NodeApiError } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import { compare, EACH_ONCE, MINUTE, SECOND } from './harness';
import {
  addForm,
  begin,
  beginActive,
  DOWN,
  expectEachOnce,
  FORBIDDEN,
  forms,
  harness,
  submitToAll,
  type Setting,
} from './setup';

it('a broken form among several is reported and stops no other form: what it missed is delivered later', async () => {
  await beginActive({ triggerOn: 'allActive' });
  const fix = harness.breakService(FORBIDDEN, forms[1]);
  await harness.pollNextMinute(submitToAll);
  const report = new RegExp(`^1 of 3 forms could not be read: ${forms[1]} \\(.*Not allowed.*\\)$`);
  expect(harness.poller.reported).toMatchObject([{ message: expect.stringMatching(report) as unknown }]);
  expect(harness.delivered.toSorted()).toEqual([0, 2].map((nth) => harness.inserted[nth]).toSorted());
  fix();
  await expectEachOnce();
});

describe('with On Error set to the error output', () => {
  const onErrorOutput: Setting = { onError: 'continueErrorOutput' };
  /** The items of the next minute's poll, by output. */
  const pollOutputs = async () => {
    harness.advance(MINUTE);
    return (await harness.poller.poll())?.map((items) => items.map(({ json }) => json)) ?? null;
  };
  const errorItem = (message: string) => [[], [{ error: expect.stringContaining(message) as unknown }]];

  it('a failing poll emits one item with the error on that output, and the next good one delivers', async () => {
    await beginActive(onErrorOutput);
    const stop = harness.breakService(DOWN);
    const id = harness.insert();
    const before = harness.storedStaticData;
    expect(await pollOutputs()).toEqual(errorItem('Down for maintenance'));
    expect(harness.storedStaticData).toEqual(before);
    stop();
    expect(await pollOutputs()).toEqual([[expect.objectContaining({ id })], []]);
  });

  it('a service that says "429 Retry-After" again and again is one item an hour', async () => {
    await beginActive({ ...onErrorOutput, transport: 'inject' });
    harness.breakService({ status: 429, headers: { 'retry-after': '90' } });
    const outputs: unknown[] = [];
    for (let minute = 0; minute < 59; minute++) outputs.push(await pollOutputs());
    expect(outputs.filter((output) => output != null)).toEqual([errorItem('')]);
    for (let minute = 0; minute < 61; minute++) outputs.push(await pollOutputs());
    expect(outputs.filter((output) => output != null).length).toBeGreaterThanOrEqual(2);
    expect(outputs.filter((output) => output != null).length).toBeLessThanOrEqual(3);
  });

  it('an activation that fails is refused all the same', async () => {
    await begin(onErrorOutput);
    harness.breakService(DOWN);
    expect((await harness.activate()).error?.message).toContain('Down for maintenance');
  });
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
    expect(harness.poller.reported).toEqual([]);
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

  it.each([503, 403])('with status %i instead, the next poll sends requests', async (status) => {
    await beginActive();
    harness.emulator.fail({ with: { status, headers: { 'retry-after': '300' } } });
    const id = harness.insert();
    expect((await harness.poll()).error).toMatchObject({ httpCode: String(status) });
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('an activation before that time sends nothing: it succeeds with a cursor, and fails without one', async () => {
    await beginActive();
    limit();
    await harness.poll();
    harness.emulator.requests.length = 0;
    expect(await harness.activate('init')).toMatchObject(QUIET);
    await expect(harness.newPoller().activate()).rejects.toMatchObject({ httpCode: '429' });
    expect(harness.emulator.requests).toEqual([]);
  });

  it('that ends within the time of an activation, it waits for that', async () => {
    await beginActive();
    const stop = harness.breakService({ status: 429, headers: { 'retry-after': '30' } });
    expect((await harness.poll()).error).toMatchObject({ httpCode: '429' });
    stop();
    harness.advance(10 * SECOND);
    const before = harness.now;
    await harness.newPoller().activate();
    expect(harness.now - before).toBe(20 * SECOND);
  });

  it('other triggers with the same credential wait too, each saying so once; those with another one do not', async () => {
    await beginActive();
    const pollers = [harness.newPoller(), harness.newPoller({ credentialId: 'another' })];
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

  it.each<[what: string, effect: FaultEffect]>([
    ['succeeds', { delayMs: 3 * SECOND }],
    ['is to wait for a shorter time', { status: 429, headers: { 'retry-after': '5' } }],
  ])('it holds until its time, although a request of another trigger that was in flight %s', async (_, effect) => {
    await beginActive({ transport: 'inject' });
    const elsewhere = addForm();
    const other = harness.newPoller({ parameters: harness.parameters(elsewhere) });
    await other.activate();
    harness.advance(MINUTE);
    const stops = [limit({ path: new RegExp(harness.formId) }), harness.breakService(effect, new RegExp(elsewhere))];
    const [limited] = await Promise.allSettled([harness.poll(), other.poll()]);
    expect(limited).toMatchObject({ status: 'fulfilled', value: { error: { httpCode: '429' } } });
    for (const stop of stops) stop();
    harness.emulator.requests.length = 0;
    for (let minute = 0; minute < 4; minute++) {
      harness.advance(MINUTE);
      expect((await harness.poll()).ids).toBeNull();
      // Each trigger says so once.
      if (minute > 0) expect(await other.poll()).toBeNull();
      else await other.poll().catch(() => undefined);
    }
    expect(harness.emulator.requests).toEqual([]);
    harness.advance(MINUTE);
    await expectEachOnce();
  });

  it('of one form among several it is told once: polls before that time send nothing', async () => {
    await beginActive({ triggerOn: 'several' });
    const stop = limit({ path: new RegExp(forms[2] ?? ''), times: Infinity });
    await harness.pollNextMinute(submitToAll);
    stop();
    const polls = [await harness.pollNextMinute(), await harness.pollNextMinute()];
    expect(polls.flatMap(({ requests }) => requests)).toEqual([]);
    expect(polls.map(({ error }) => error?.message.includes('rate'))).toEqual([true, undefined]);
    harness.advance(5 * MINUTE);
    await expectEachOnce();
  });
});
