import type { FaultEffect } from '../../emulator/index.ts';
import { MINUTE, SECOND } from './harness';
import { begin, beginActive, expectEachOnce, forms, harness, submit } from './setup';

const LIMITED: FaultEffect = { status: 429, headers: { 'retry-after': '300' } };
const FORBIDDEN: FaultEffect = { status: 403, body: { error: 'Not allowed' } };
const DOWN: FaultEffect = { status: 503, body: { error: 'Down for maintenance' } };

/** Makes requests for the nth form fail. @returns a function that ends it */
const breakForm = (nth: number, effect: FaultEffect, when = {}) =>
  harness.emulator.fail({ when: { path: new RegExp(forms[nth] ?? ''), every: 1, ...when }, with: effect });

describe('a "429 Retry-After" while the rest of a poll succeeds', () => {
  it('of one form among several is reported once: polls before that time send and report nothing', async () => {
    await beginActive({ watch: 'several' });
    const stop = breakForm(2, LIMITED);
    forms.forEach((_, nth) => submit(nth));
    expect((await harness.pollNextMinute()).error).toBeUndefined();
    expect(harness.poller.reported).toHaveLength(1);
    stop();
    expect(await harness.pollNextMinute()).toMatchObject({ ids: null, error: undefined, requests: [] });
    expect(harness.poller.reported).toHaveLength(1);
    harness.advance(5 * MINUTE);
    await expectEachOnce();
  });

  it('of a later page is reported by the next poll, which sends nothing', async () => {
    await beginActive();
    // The service's time stands still between two polls: the watermark of the second one cannot move.
    await harness.pollNextMinute(() => harness.insert());
    const ids = harness.insertSpread(250, 100);
    const stop = breakForm(0, LIMITED, { every: undefined, nth: 2 });
    const { ids: emitted, error } = await harness.poll();
    expect([emitted, error]).toEqual([ids.slice(0, 100), undefined]);
    stop();
    expect(await harness.poll()).toMatchObject({ error: { httpCode: '429' }, requests: [] });
    expect(await harness.poll()).toMatchObject({ ids: null, error: undefined, requests: [] });
    harness.advance(5 * MINUTE);
    await expectEachOnce();
  });
});

describe('an activation', () => {
  it('succeeds when no active form can be read, and starts all of them at that time', async () => {
    await begin({ watch: 'active' });
    const past = [submit(0), submit(1)];
    harness.advance(SECOND);
    const stops = forms.map((_, nth) => breakForm(nth, FORBIDDEN));
    expect((await harness.activate()).error).toBeUndefined();
    expect(harness.poller.reported).toHaveLength(1);
    for (const stop of stops) stop();
    forms.forEach((_, nth) => submit(nth));
    await expectEachOnce(harness.inserted.slice(past.length));
  });

  it('succeeds when one of several forms cannot be read and the service tells no time: the next poll starts it', async () => {
    await begin({ watch: 'several' });
    harness.emulator.quirks.noDateHeader = true;
    const stop = breakForm(1, DOWN);
    expect((await harness.activate()).error).toBeUndefined();
    expect([...(harness.state?.forms.keys() ?? [])].toSorted()).toEqual([forms[0], forms[2]].toSorted());
    stop();
    const past = submit(1);
    await harness.pollNextMinute();
    submit(1);
    await expectEachOnce(harness.inserted.filter((id) => id !== past));
  });

  it('fails when the key is refused for a form, also while the others can be read', async () => {
    await begin({ watch: 'active' });
    breakForm(1, { status: 401, body: { error: 'Invalid API Key' } });
    expect((await harness.activate()).error).toMatchObject({ httpCode: '401' });
  });
});

it('emits submissions although their form cannot be read for its questions', async () => {
  await beginActive({ output: 'simplified' });
  harness.emulator.fail({ when: { path: new RegExp(`${harness.formId}$`), every: 1 }, with: FORBIDDEN });
  expect((await harness.pollNextMinute(() => harness.insert())).ids).toEqual(harness.inserted);
});
