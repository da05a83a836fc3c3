import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeApiError } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import {
  codedError,
  causeOf,
  compare,
  createHarness,
  EACH_ONCE,
  MINUTE,
  SECOND,
  type TriggerHarness,
  type HarnessOptions,
} from './harness';

jest.setTimeout(60_000);

let harness: TriggerHarness;
const begin = async (options?: HarnessOptions) => {
  harness = await createHarness(options);
};

afterEach(async () => await harness.close());

it('S17 delivers each submission once while every third request fails for 20 min', async () => {
  await begin();
  await harness.activate();
  const stop = harness.emulator.fail({ when: { every: 3 }, with: { status: 503 } });
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    harness.advance(MINUTE);
    inserted.push(...harness.insertSpread(120, 300));
    expect((await harness.poll()).error).toBeUndefined();
  }
  stop();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S18 says that the service fails in every poll of a total outage of 30 min, and delivers everything after it', async () => {
  await begin();
  await harness.activate();
  const stop = harness.emulator.fail({ when: { every: 1 }, with: { status: 502, body: '<html>Bad gateway</html>' } });
  const inserted: string[] = [];
  for (let minute = 0; minute < 30; minute++) {
    harness.advance(MINUTE);
    inserted.push(harness.insert());
    const outcome = await harness.poll();
    expect(outcome.error).toMatchObject({ httpCode: '502' });
    expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    expect(outcome.requests).toHaveLength(5);
    expect(outcome.elapsedMs).toBeLessThan(36 * SECOND);
  }
  stop();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S19 waits as long as the service says when it limits the rate on the second page of every poll', async () => {
  await begin();
  await harness.activate();
  const inserted: string[] = [];
  for (let minute = 0; minute < 10; minute++) {
    harness.advance(MINUTE);
    inserted.push(...harness.insertSpread(150, 200));
    const stop = harness.emulator.fail({ when: { nth: 2 }, with: { status: 429, headers: { 'retry-after': '20' } } });
    const outcome = await harness.poll();
    stop();
    expect(outcome.error).toBeUndefined();
    expect(outcome.elapsedMs).toBeGreaterThanOrEqual(20 * SECOND);
    expect(outcome.elapsedMs).toBeLessThan(45 * SECOND);
  }
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

it('S19 gives up in time when Retry-After is longer than a poll, and reports the wait to n8n', async () => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const id = harness.insert();
  const stop = harness.emulator.fail({ when: { every: 1 }, with: { status: 429, headers: { 'retry-after': '120' } } });
  const { error, elapsedMs, requests } = await harness.poll();
  stop();
  expect(error instanceof NodeApiError && error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 120_000 });
  expect(requests).toHaveLength(1);
  expect(elapsedMs).toBe(0);
  harness.advance(2 * MINUTE);
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([id]);
});

it.each<[string, FaultEffect]>([
  ['malformed JSON', { malformed: true }],
  ['a body cut off', { truncate: true }],
  ['a connection reset', { reset: true }],
])('S20 overcomes %s on the second request', async (_, effect) => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const ids = harness.insertSpread(250, 200);
  harness.emulator.fail({ when: { nth: 2 }, with: effect });
  expect((await harness.poll()).error).toBeUndefined();
  await harness.pollUntilEmpty();
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it.each<[string, FaultEffect, string]>([
  ['an answer without a list', { status: 200, body: { pagination: {} } }, "there is no list of 'submissions'"],
  [
    'a web page',
    { status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } },
    'a web page instead of data',
  ],
])('reports %s instead of reading it as an empty list', async (_, effect, words) => {
  await begin();
  await harness.activate();
  harness.advance(MINUTE);
  const id = harness.insert();
  harness.emulator.fail({ with: effect });
  const { error, staticData, staticDataBefore } = await harness.poll();
  expect(error?.message).toContain(words);
  expect(staticData).toEqual(staticDataBefore);
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual([id]);
});

it('S21 reports a redirect to another host for 20 min without ever calling it, then delivers everything', async () => {
  let calls = 0;
  const other = createServer((_request, response) => {
    calls++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  await begin();
  await harness.activate();
  const stop = harness.emulator.fail({
    when: { every: 1 },
    with: { redirect: `http://localhost:${(other.address() as AddressInfo).port}/forms` },
  });
  const inserted: string[] = [];
  for (let minute = 0; minute < 20; minute++) {
    harness.advance(MINUTE);
    inserted.push(harness.insert());
    const outcome = await harness.poll();
    expect(outcome.error?.message).toContain('not followed');
    expect(outcome.requests).toHaveLength(1);
    expect(outcome.staticData).toEqual(outcome.staticDataBefore);
  }
  stop();
  await harness.pollUntilEmpty();
  other.close();
  expect(calls).toBe(0);
  expect(compare(harness.delivered, inserted)).toEqual(EACH_ONCE);
});

describe('an activation', () => {
  it.each([
    ['a wrong key', { apiKey: 'wrong' }, '401', 'credential-invalid'],
    ['an unknown form', { formId: 'no-such-form' }, '404', 'configuration-invalid'],
  ] as const)('fails with the reason for %s', async (_, options, httpCode, cause) => {
    await begin(options);
    const { error, requests } = await harness.activate();
    expect(error).toMatchObject({ httpCode });
    expect(causeOf(error)).toBe(cause);
    expect(requests).toHaveLength(1);
    expect(harness.poller.staticData).toEqual({ global: {}, 'node:NeetoForm Trigger': {} });
  });

  it.each<[string, FaultEffect]>([
    ['503', { status: 503 }],
    ['a broken body', { malformed: true }],
    ['a lost connection', { reset: true }],
  ])(
    'with a known cursor does not keep n8n from starting when the service fails for a while with %s; the next poll reports it',
    async (_, effect) => {
      await begin();
      await harness.activate();
      harness.advance(MINUTE);
      const id = harness.insert();
      const stop = harness.emulator.fail({ when: { every: 1 }, with: effect });
      harness.loadDatabase(harness.poller.savedStaticData);
      const activation = await harness.activate('init');
      expect(activation).toMatchObject({ ids: null, error: undefined });
      expect((await harness.poll()).error).toBeInstanceOf(NodeApiError);
      stop();
      expect((await harness.poll()).ids).toEqual([id]);
    },
  );

  it.each([
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENETDOWN',
    'EHOSTDOWN',
    'EADDRNOTAVAIL',
    'EAI_AGAIN',
    'ENOTFOUND',
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'EPIPE',
    'EPROTO',
    'CERT_HAS_EXPIRED',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ERR_TLS_CERT_ALTNAME_INVALID',
  ])('with a known cursor does not keep n8n from starting when there is no route to the service: %s', async (code) => {
    await begin({ transport: 'inject' });
    await harness.activate();
    const id = harness.insert();
    harness.transport = async () => {
      throw codedError(`connect ${code} 203.0.113.1:443`, code);
    };
    expect(await harness.restart()).toMatchObject({ ids: null, error: undefined });
    const outcome = await harness.pollNextMinute();
    expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
    expect(outcome.error?.message).not.toContain('invalid');
    harness.transport = async (options, send) => await send(options);
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('fails when the key was withdrawn, even with a known cursor', async () => {
    await begin();
    await harness.activate();
    harness.emulator.fail({ when: { every: 1 }, with: { status: 401, body: { error: 'Invalid API key' } } });
    expect((await harness.activate('init')).error?.message).toContain('Invalid API key');
  });

  it('fails without a cursor when the service is down', async () => {
    await begin();
    harness.emulator.fail({ when: { every: 1 }, with: { status: 503 } });
    expect((await harness.activate()).error).toMatchObject({ httpCode: '503' });
    expect(harness.state).toBeUndefined();
  });
});

describe('a poll', () => {
  it('emits what it read before a failure, continues there, and reports the failure in the next poll', async () => {
    await begin();
    await harness.activate();
    harness.advance(MINUTE);
    const ids = harness.insertSpread(250, 200);
    const stop = harness.emulator.fail({
      when: { nth: 2, every: 1 },
      with: { status: 403, body: { error: 'Not allowed' } },
    });
    const first = await harness.poll();
    expect(first.ids).toEqual(ids.slice(0, 100));
    stop();
    const forGood = harness.emulator.fail({
      when: { every: 1 },
      with: { status: 403, body: { error: 'Not allowed' } },
    });
    const second = await harness.poll();
    expect(second.error?.message).toContain('Not allowed');
    expect(second.staticData).toEqual(second.staticDataBefore);
    forGood();
    await harness.pollUntilEmpty();
    expect(harness.delivered).toEqual(ids);
  });

  it('releases its lock when it throws', async () => {
    await begin();
    await harness.activate();
    harness.advance(MINUTE);
    const id = harness.insert();
    harness.emulator.fail({ with: { status: 404, body: { error: 'Form not found' } } });
    expect((await harness.poll()).error).toBeDefined();
    expect((await harness.poll()).ids).toEqual([id]);
  });

  it('does not hold back the poll of another workflow on the same form', async () => {
    await begin();
    const other = harness.newPoller();
    await Promise.all([harness.activate(), other.activate()]);
    harness.advance(MINUTE);
    const id = harness.insert();
    const [ours, theirs] = await Promise.all([harness.poll(), other.poll()]);
    expect([ours.ids, theirs?.flat().map(({ json }) => json.id)]).toContainEqual([id]);
  });

  it('writes nothing when nothing changed', async () => {
    await begin();
    await harness.activate();
    const database = harness.poller.savedStaticData;
    for (let minute = 0; minute < 3; minute++) {
      harness.advance(MINUTE);
      const outcome = await harness.poll();
      expect(outcome.staticData).toEqual(outcome.staticDataBefore);
    }
    expect(harness.poller.staticData).toEqual(database);
  });
});
