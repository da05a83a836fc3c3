import type { FaultEffect } from '../../emulator/index.ts';
import { compare, EACH_ONCE, MINUTE, SECOND } from './harness';
import { addForm, beginActive, expectEachOnce, forms, harness, submit, submitToAll } from './setup';

const submissionsOf = (formId = '') => new RegExp(`${formId}/submissions`);

// "429 Retry-After" holds for the workspace until its time, whatever other requests are under way.

/**
 * While responses to requests with such a path are on their way, another trigger of this workspace meets the rate limit.
 *
 * @returns what was sent after it
 */
async function limitDuring(path: RegExp): Promise<{ sentLater: string[]; end: () => void }> {
  const elsewhere = addForm();
  const other = harness.newPoller({ parameters: { ...harness.parameters(elsewhere), triggerOn: 'one' } });
  await other.activate();
  const effect: FaultEffect = { status: 429, headers: { 'retry-after': '60' } };
  const end = harness.breakService(effect, `${elsewhere}/submissions`);
  const sentLater: string[] = [];
  let isLimited = false;
  let limiting: Promise<unknown> | undefined;
  harness.inProcess.transport = async (options, send) => {
    if (isLimited) sentLater.push(options.url);
    const response = await send(options);
    if (options.url.includes(elsewhere) || !path.test(options.url)) return response;
    limiting ??= expect(other.poll()).rejects.toMatchObject({ httpCode: '429' });
    await limiting;
    isLimited = true;
    return response;
  };
  return { sentLater, end };
}

describe('during the pause that the request of another trigger began, a poll under way', () => {
  it('does not repeat a request that failed before', async () => {
    await beginActive({ transport: 'inject' });
    const { sentLater, end } = await limitDuring(submissionsOf(forms[0]));
    harness.emulator.fail({
      when: { path: submissionsOf(forms[0]), times: 1 },
      with: { status: 500, headers: { 'retry-after': '2' } },
    });
    submit(0);
    const { error, elapsedMs } = await harness.pollNextMinute();
    expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'rate-limited' } });
    expect(elapsedMs).toBeLessThan(3 * SECOND);
    expect(sentLater).toEqual([]);
    end();
    harness.advance(MINUTE);
    await expectEachOnce();
  });

  it('reads no form after the list, and fails as rate limited, not as too slow', async () => {
    await beginActive({ transport: 'inject', triggerOn: 'several' });
    const { sentLater, end } = await limitDuring(/forms$/);
    const { error } = await harness.pollNextMinute(submitToAll);
    expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'rate-limited' } });
    expect(sentLater).toEqual([]);
    end();
    harness.advance(MINUTE);
    await expectEachOnce();
  });

  it('does not send requests that wait for others to end', async () => {
    await beginActive({ transport: 'inject', triggerOn: 'several', count: 12, output: 'simplified' });
    const { sentLater, end } = await limitDuring(/forms\/[^/]*$/);
    await harness.pollNextMinute(submitToAll);
    expect(sentLater).toEqual([]);
    end();
    harness.advance(MINUTE);
    await expectEachOnce();
  });
});

it('a pause without Retry-After delays neither another trigger of the workspace nor the next poll', async () => {
  await beginActive({ transport: 'inject' });
  const elsewhere = addForm();
  const other = harness.newPoller({ parameters: harness.parameters(elsewhere) });
  await other.activate();
  const end = harness.breakService({ status: 429 }, `${forms[0]}/submissions`);
  expect((await harness.pollNextMinute()).error).toMatchObject({ httpCode: '429' });
  end();
  const before = harness.now;
  harness.insert({}, elsewhere);
  expect((await other.poll())?.flat()).toHaveLength(1);
  const id = submit(0);
  expect((await harness.poll()).ids).toEqual([id]);
  expect(harness.now).toBe(before);
});

it('a pause that begins in a poll that delivers is reported by the next poll, although one before it was', async () => {
  await beginActive({ transport: 'inject' });
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
  await expectEachOnce();
});

it('forms that a poll does not come to because of a pause are not reported', async () => {
  await beginActive({ transport: 'inject', triggerOn: 'several', count: 20 });
  submitToAll();
  harness.advance(MINUTE);
  const when = { path: submissionsOf(forms[2]) };
  harness.emulator.fail({ when, with: { status: 429, headers: { 'retry-after': '300' } } });
  await harness.poll();
  expect(harness.poller.reported).toEqual([]);
  harness.advance(5 * MINUTE);
  await expectEachOnce();
});

describe('when a poll has no time to wait for the end of the pause', () => {
  it('it fails at once as rate limited, however late the pause began', async () => {
    await beginActive({ transport: 'inject' });
    const effect: FaultEffect = { status: 429, headers: { 'retry-after': '30' } };
    const end = harness.breakService(effect);
    const speedUp = harness.emulator.onRequest(() => harness.advance(9 * SECOND));
    const id = submit(0);
    const { error, requests, elapsedMs } = await harness.pollNextMinute();
    expect(error).toMatchObject({ httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: 30 * SECOND } });
    expect(requests).toHaveLength(1);
    expect(elapsedMs).toBe(9 * SECOND);
    speedUp();
    end();
    harness.advance(30 * SECOND);
    await harness.poll();
    expect(compare(harness.delivered, [id])).toEqual(EACH_ONCE);
  });
});
