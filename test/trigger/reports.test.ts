import { NodeApiError } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import { compare, EACH_ONCE, HOUR, MINUTE, OTHER_WORKSPACE, SECOND } from './harness';
import { begin, beginActive, expectEachOnce, forms, harness, type Setting } from './setup';

const SCHEDULERS = ['memory', 'durable'] as const;
const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };
const FORBIDDEN: FaultEffect = { status: 403, body: { error: 'Not allowed' } };

const breakService = (effect: FaultEffect) => harness.emulator.fail({ when: { every: 1 }, with: effect });

describe('broken forms among several', () => {
  /** Makes every request for these forms fail. @returns a function that ends it */
  const breakForms = (...places: number[]) => {
    const broken = places.map((place) => forms[place] ?? '');
    const match = ({ path }: { path: string }) => broken.some((id) => path.includes(id));
    return harness.emulator.fail({ when: { match, every: 1 }, with: FORBIDDEN });
  };
  /** Polls for so long while every form gets a submission a minute. @returns what was reported */
  const reportsIn = async (ms: number) => {
    const before = harness.poller.reported.length;
    await harness.pollFor(ms, () => forms.forEach((id) => harness.insert({}, id)));
    return harness.poller.reported.slice(before).map(({ message }) => message);
  };

  it.each(['several', 'active'] as const)(
    'stop no other form, and lose nothing: what they missed is delivered later (%s)',
    async (watch) => {
      await beginActive({ watch });
      const fix = breakForms(1);
      const report = new RegExp(`^1 of 3 forms could not be read: ${forms[1]} \\(.*Not allowed.*\\)$`);
      expect(await reportsIn(MINUTE)).toEqual([expect.stringMatching(report)]);
      expect(harness.delivered.toSorted()).toEqual([0, 2].map((nth) => harness.inserted[nth]).toSorted());
      fix();
      await expectEachOnce();
    },
  );

  it('are each reported, twice an hour together, when Max Submissions ends the polls between them', async () => {
    await beginActive({ watch: 'active', count: 4, options: { maxSubmissions: 1 } });
    const broken = [1, 3];
    breakForms(...broken);
    for (let hour = 0; hour < 2; hour++) {
      const reports = await reportsIn(HOUR);
      for (const place of broken) expect(reports.join()).toContain(forms[place]);
      // The second may name the first form again.
      expect(reports.length).toBeLessThanOrEqual(2);
    }
  });
});

describe('a Look-Back so long that the known submissions fill what a trigger may remember', () => {
  it('is reported once an hour with the advice to shorten it, and delivers each submission once', async () => {
    await begin({ options: { lookback: 1_440 } });
    const past = harness.insertSpread(2_500, (24 * HOUR) / 2_500);
    await harness.activate();
    for (let poll = 0; poll < 24; poll++) {
      harness.advance(5 * MINUTE);
      harness.insertSpread(8, 30 * SECOND);
      expect((await harness.poll()).error).toBeUndefined();
    }
    const { reported } = harness.poller;
    expect(reported).toHaveLength(2);
    expect(`${reported[0]?.message} ${JSON.stringify(reported[0])}`).toMatch(/Shorten the look-back/);
    harness.advance(24 * HOUR);
    await expectEachOnce(harness.inserted.slice(past.length));
  });

  it('is not reported while they fit', async () => {
    await begin({ options: { lookback: 1_440 } });
    harness.insertSpread(1_500, 40 * SECOND);
    await harness.activate();
    await harness.pollFor(10 * MINUTE, (minute) => minute === 0 && harness.insert());
    await expectEachOnce(harness.inserted.slice(1_500));
    expect(harness.poller.reported).toEqual([]);
  });
});

describe.each(SCHEDULERS)('with On Error set to the error output (%s)', (scheduler) => {
  const onErrorOutput: Setting = { scheduler, onError: 'continueErrorOutput' };
  /** The items of the next minute's poll, by output. */
  const pollOutputs = async () => {
    harness.advance(MINUTE);
    return (await harness.poller.poll())?.map((items) => items.map(({ json }) => json));
  };
  const errorItem = (message: string) => [[], [{ error: expect.stringContaining(message) as unknown }]];

  it('a failing poll emits one item with the error on that output, and the next good one delivers', async () => {
    await beginActive(onErrorOutput);
    const stop = breakService(DOWN);
    const id = harness.insert();
    const before = harness.state?.forms;
    expect(await pollOutputs()).toEqual(errorItem('Down for maintenance'));
    expect(harness.state?.forms).toEqual(before);
    stop();
    expect(await pollOutputs()).toEqual([[expect.objectContaining({ id })], []]);
    breakService(DOWN);
    expect(await pollOutputs()).toEqual(errorItem('Down for maintenance'));
  });

  it('an activation that fails is refused all the same', async () => {
    await begin(onErrorOutput);
    breakService(DOWN);
    expect((await harness.activate()).error?.message).toContain('Down for maintenance');
  });
});

/** What a poll that sends nothing and reports nothing does. */
const QUIET = { ids: null, error: undefined, requests: [] };

describe.each(SCHEDULERS)('after "429 Retry-After", with cursors kept in %s mode', (scheduler) => {
  const limit = (retryAfter: string, when = {}) =>
    harness.emulator.fail({ when, with: { status: 429, headers: { 'retry-after': retryAfter } } });
  beforeEach(async () => await beginActive({ scheduler }));

  it('polls before that time send nothing and report nothing again, and the first one after it delivers', async () => {
    const stop = limit('300', { every: 1 });
    harness.insert();
    const { error, requests, elapsedMs } = await harness.poll();
    expect(requests).toHaveLength(1);
    expect(elapsedMs).toBe(0);
    expect(error instanceof NodeApiError && error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 300_000 });
    stop();
    for (let second = 5; second < 300; second += 5) {
      harness.advance(5 * SECOND);
      expect(await harness.poll()).toMatchObject(QUIET);
    }
    expect(harness.poller.reported).toEqual([]);
    harness.advance(6 * SECOND);
    await harness.poll();
    expect(compare(harness.delivered, harness.inserted)).toEqual(EACH_ONCE);
  });

  it.each<[what: string, retryAfter: () => string, waitMs: number]>([
    ['at the time of an HTTP date', () => new Date(harness.now + 120 * SECOND).toUTCString(), 120 * SECOND],
    ['after an hour at the latest', () => '864000', HOUR],
  ])('polls send requests again %s', async (_, retryAfter, waitMs) => {
    limit(retryAfter());
    expect((await harness.poll()).error).toBeDefined();
    const id = harness.insert();
    harness.advance(waitMs - 2 * SECOND);
    expect(await harness.poll()).toMatchObject(QUIET);
    harness.advance(3 * SECOND);
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('a success before that time, of Fetch Test Event, makes the next poll send at once', async () => {
    limit('300');
    expect((await harness.poll()).error).toBeDefined();
    const id = harness.insert();
    expect((await harness.poll({ mode: 'manual' })).ids).toEqual([id]);
    harness.advance(SECOND);
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('an activation before that time sends nothing: it succeeds with a cursor, and fails without one', async () => {
    limit('300');
    await harness.poll();
    harness.emulator.requests.length = 0;
    expect(await harness.activate('init')).toMatchObject(QUIET);
    await expect(harness.newPoller().activate()).rejects.toMatchObject({ httpCode: '429' });
    expect(harness.emulator.requests).toEqual([]);
  });

  it('other triggers on the same workspace wait too, also of several forms; those on another one do not', async () => {
    const pollers = [harness.newPoller(), harness.newPoller({ url: OTHER_WORKSPACE })];
    const [same, elsewhere] = pollers;
    same?.setParameters({ ...harness.parameters(), watch: 'active' });
    for (const poller of pollers) await poller.activate();
    limit('300');
    expect((await harness.poll()).error).toBeDefined();
    const id = harness.insert();
    harness.emulator.requests.length = 0;
    expect(await same?.poll()).toBeNull();
    expect(harness.emulator.requests).toEqual([]);
    expect((await elsewhere?.poll())?.flat().map(({ json }) => json.id)).toEqual([id]);
    harness.advance(301 * SECOND);
    expect((await same?.poll())?.flat().map(({ json }) => json.id)).toEqual([id]);
  });
});
