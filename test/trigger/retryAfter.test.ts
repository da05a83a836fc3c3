import { NodeApiError } from 'n8n-workflow';
import { createHarness, HOUR, SECOND, OTHER_WORKSPACE, type HarnessOptions, type TriggerHarness } from './harness';

let harness: TriggerHarness;

/** A trigger that is active, of which every request is refused. @returns a function that ends it */
async function beginLimited(retryAfter: string, options: HarnessOptions = {}): Promise<() => void> {
  harness = await createHarness({ transport: 'inject', ...options });
  await harness.activate();
  harness.advance(HOUR);
  return harness.emulator.fail({ when: { every: 1 }, with: { status: 429, headers: { 'retry-after': retryAfter } } });
}

const QUIET = { ids: null, error: undefined, requests: [] };

afterEach(async () => await harness.close());

describe.each(['memory', 'durable'] as const)('after "429 Retry-After", with cursors kept in %s mode', (scheduler) => {
  it('polls before that time send nothing and report nothing again, and the first one after it delivers', async () => {
    const stop = await beginLimited('300', { scheduler });
    const id = harness.insert();
    const limited = await harness.poll();
    expect(limited.requests).toHaveLength(1);
    expect(limited.error instanceof NodeApiError && limited.error.failure).toEqual({
      cause: 'rate-limited',
      retryAfterMs: 300_000,
    });
    stop();
    for (let second = 5; second < 300; second += 5) {
      harness.advance(5 * SECOND);
      expect(await harness.poll()).toMatchObject(QUIET);
    }
    expect(harness.poller.reported).toEqual([]);
    harness.advance(6 * SECOND);
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('an HTTP date counts like a number of seconds', async () => {
    const stop = await beginLimited('', { scheduler });
    stop();
    const until = new Date(harness.now + 120 * SECOND).toUTCString();
    harness.emulator.fail({ with: { status: 429, headers: { 'retry-after': until } } });
    expect((await harness.poll()).error).toBeDefined();
    harness.advance(110 * SECOND);
    expect(await harness.poll()).toMatchObject(QUIET);
    harness.advance(12 * SECOND);
    expect((await harness.poll()).requests).not.toEqual([]);
  });

  it('polls send requests again after an hour at the latest', async () => {
    const stop = await beginLimited('864000', { scheduler });
    const id = harness.insert();
    await harness.poll();
    stop();
    harness.advance(HOUR - SECOND);
    expect(await harness.poll()).toMatchObject(QUIET);
    harness.advance(2 * SECOND);
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('a poll that waited for it and succeeded makes the next one send at once', async () => {
    const stop = await beginLimited('10', { scheduler });
    stop();
    harness.emulator.fail({ with: { status: 429, headers: { 'retry-after': '10' } } });
    const id = harness.insert();
    const first = await harness.poll();
    expect(first.ids).toEqual([id]);
    expect(first.elapsedMs).toBeGreaterThanOrEqual(10 * SECOND);
    const next = harness.insert();
    harness.advance(SECOND);
    expect((await harness.poll()).ids).toEqual([next]);
  });
});

it('polls of several forms send nothing either until that time', async () => {
  const stop = await beginLimited('300', { parameters: { watch: 'active' } });
  const id = harness.insert();
  expect((await harness.poll()).error).toBeDefined();
  stop();
  harness.advance(200 * SECOND);
  expect(await harness.poll()).toMatchObject(QUIET);
  harness.advance(101 * SECOND);
  expect((await harness.poll()).ids).toEqual([id]);
});

it('another trigger on the same workspace waits too; one on another workspace does not', async () => {
  harness = await createHarness({ transport: 'inject' });
  const same = harness.newPoller();
  const elsewhere = harness.newPoller({ url: OTHER_WORKSPACE });
  for (const poller of [same, elsewhere]) await poller.activate();
  await harness.activate();
  harness.advance(HOUR);
  const stop = harness.emulator.fail({ with: { status: 429, headers: { 'retry-after': '300' } } });
  expect((await harness.poll()).error).toBeDefined();
  stop();
  const id = harness.insert();
  harness.emulator.requests.length = 0;
  expect(await same.poll()).toBeNull();
  expect(harness.emulator.requests).toEqual([]);
  expect((await elsewhere.poll())?.flat().map(({ json }) => json.id)).toEqual([id]);
});
