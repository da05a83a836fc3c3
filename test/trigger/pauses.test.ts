import { MINUTE, SECOND, START } from './outcome';
import { limited, useTrigger } from './triggerHarness';

const harness = useTrigger();

/** What a poll that sends nothing and reports nothing does. */
const QUIET = { ids: null, error: undefined, requests: [] };

it('a pause that begins in a poll that delivers is reported by the next poll, although one before it was', async () => {
  await harness.beginActive();
  harness.emulator.fail({ with: limited(300) });
  expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '429' });
  harness.advance(5 * MINUTE);
  const ids = harness.submitSpread(250, 100);
  harness.emulator.fail({ when: { nth: 2 }, with: limited(300) });
  expect(await harness.poll()).toMatchObject({ ids: ids.slice(0, 100), error: undefined });
  expect(await harness.poll()).toMatchObject({ error: { httpCode: '429' }, requests: [] });
  expect(await harness.poll()).toMatchObject(QUIET);
  harness.advance(5 * MINUTE);
  await harness.expectEachOnce();
});

it('a poll delivers what it has read before a pause, although more of the same time follows, which a later poll delivers', async () => {
  await harness.begin({ options: { startFrom: new Date(START - MINUTE).toISOString() } });
  const ids = harness.submitMany(250, () => ({ createdAt: START - MINUTE }));
  harness.emulator.fail({ when: { path: /submissions/, nth: 2 }, with: limited(50) });
  expect(await harness.activate()).toMatchObject({ ids: ids.slice(0, 100), error: undefined });
  await harness.expectEachOnce();
});

it('forms that a poll does not come to because of a pause are not reported', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 20 });
  harness.submitToAll();
  harness.advance(MINUTE);
  harness.emulator.fail({ when: { path: new RegExp(`${harness.forms[2]}/submissions`) }, with: limited(300) });
  await harness.poll();
  expect(harness.workflow.reported).toEqual([]);
  harness.advance(5 * MINUTE);
  await harness.expectEachOnce();
});

it('a poll that has no time to wait for the end of the pause fails at once as rate limited', async () => {
  await harness.beginActive();
  harness.breakService(limited(30));
  harness.emulator.onRequest(() => harness.advance(9 * SECOND));
  const { error, requests, elapsedMs } = await harness.pollNextMinute();
  expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 30 * SECOND } });
  expect(requests).toHaveLength(1);
  expect(elapsedMs).toBe(9 * SECOND);
});

describe('after "429 Retry-After"', () => {
  it('that asks for ten days, polls send nothing and report nothing again for an hour, and the next one delivers', async () => {
    await harness.beginActive();
    harness.emulator.fail({ with: limited(864_000) });
    const id = harness.submit();
    expect((await harness.poll()).error).toMatchObject({ httpCode: '429' });
    for (const waited of [SECOND, 58 * MINUTE, 59 * SECOND]) {
      harness.advance(waited);
      expect(await harness.poll()).toMatchObject(QUIET);
    }
    expect(harness.workflow.reported).toEqual([]);
    expect((await harness.pollNextMinute()).ids).toEqual([id]);
  });

  it('an activation before that time sends nothing: at the start of n8n it succeeds with a cursor, and fails without one', async () => {
    await harness.beginActive();
    harness.emulator.fail({ with: limited(300) });
    await harness.poll();
    harness.emulator.requests.length = 0;
    expect(await harness.activate('init')).toMatchObject(QUIET);
    for (const mode of ['activate', 'init'] as const)
      await expect(harness.newWorkflow().activate(mode)).rejects.toMatchObject({ httpCode: '429' });
    harness.workflow.change({ name: 'New answers' });
    expect((await harness.activate('update')).error).toMatchObject({ httpCode: '429' });
    expect(harness.emulator.requests).toEqual([]);
  });

  it('other triggers with the same credential wait too, each saying so once; those with another one do not', async () => {
    await harness.beginActive();
    const [same, another] = [harness.newWorkflow(), harness.newWorkflow([{ credentialId: 'another' }])];
    same.change({ parameters: { ...harness.parameters(), triggerOn: 'allActive' } });
    for (const each of [same, another]) await each.activate();
    harness.emulator.fail({ with: limited(300) });
    expect((await harness.poll()).error).toBeDefined();
    const id = harness.submit();
    harness.emulator.requests.length = 0;
    await expect(same.poll()).rejects.toMatchObject({ httpCode: '429' });
    expect(await same.poll()).toBeNull();
    expect(harness.emulator.requests).toEqual([]);
    expect(await another.poll()).toMatchObject([[{ json: { id } }]]);
    harness.advance(301 * SECOND);
    expect(await same.poll()).toMatchObject([[{ json: { id } }]]);
  });

  it('of a wrong Base URL, a publication succeeds as soon as the credential has the right one', async () => {
    await harness.begin();
    const { here, elsewhere } = harness.credentials;
    harness.credentials.here = elsewhere;
    harness.emulator.fail({ with: limited(3_600) });
    expect((await harness.activate()).error).toMatchObject({ httpCode: '429' });
    harness.credentials.here = here;
    expect((await harness.activate()).error).toBeUndefined();
  });
});

it('a time in Retry-After is compared with the local clock where the service does not tell its own', async () => {
  await harness.beginActive();
  const headers = { 'retry-after': new Date(harness.now + 6 * MINUTE).toUTCString() };
  const { transport } = harness.inProcess;
  harness.inProcess.transport = async (...sent) =>
    Object.assign({}, await transport(...sent), { statusCode: 429, headers });
  const { error } = await harness.pollNextMinute();
  expect(error).toMatchObject({ failure: { retryAfterMs: 5 * MINUTE } });
});

it('other triggers with the same credential wait for the end of a pause for which the service names no time', async () => {
  await harness.beginActive();
  const other = harness.newWorkflow();
  await other.activate();
  harness.advance(MINUTE);
  const fix = harness.breakService({ status: 429 });
  expect((await harness.poll()).error).toMatchObject({ httpCode: '429' });
  fix();
  const id = harness.submit();
  harness.emulator.requests.length = 0;
  const ended = harness.now;
  expect(await other.poll()).toMatchObject([[{ json: { id } }]]);
  const [first] = harness.emulator.requests;
  expect((first?.at ?? NaN) - ended).toBeGreaterThan(5 * SECOND);
});
