import type { FaultEffect } from '../../emulator/index.ts';
import { MINUTE, SECOND } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

it.each([
  ['memory', 46],
  ['durable', 37],
] as const)(
  'a poll of several forms delivers the others when a response drips in (%s: %i seconds)',
  async (scheduler, seconds) => {
    await harness.beginActive({ triggerOn: 'allActive', scheduler });
    const stop = harness.breakService({ drip: 1 }, `${harness.forms[0]}/submissions`);
    const [, ...others] = harness.submitToAll();
    const first = await harness.pollNextMinute();
    expect(first.elapsedMs).toBeLessThanOrEqual(seconds * SECOND);
    expect(first.ids?.toSorted()).toEqual(others.toSorted());
    stop();
    await harness.expectEachOnce();
  },
);

it.each<[how: string, effect: FaultEffect, seconds: number]>([
  ['uses up its own', { delayMs: 6 * SECOND }, 36],
  ['fails', { delayMs: 6 * SECOND, status: 403 }, 6],
])('a publication with another form has its own time when the poll before it %s', async (_, effect, seconds) => {
  await harness.beginActive();
  await harness.pollFor(2 * MINUTE);
  const added = harness.addForm();
  harness.breakService(effect, `${harness.forms[0]}/submissions`);
  harness.advance(MINUTE);
  harness.submitSpread(950, 60);
  let publication: Promise<string[]> | undefined;
  harness.emulator.onRequest(({ path }) => {
    if (path.endsWith('/submissions')) publication ??= harness.republish(added, 'one');
  });
  expect((await harness.poll()).elapsedMs).toBeGreaterThanOrEqual(seconds * SECOND);
  expect(await publication).toEqual([]);
  harness.advance(20 * SECOND);
  await harness.expectEachOnce([...harness.delivered, harness.submit({ form: added })]);
});

it.each([
  ['its time', {}, 400, 949],
  ['the part of its time that is not for files', { downloadFiles: true }, 150, 400],
])('stops reading when %s is up, and the next polls continue there', async (_, options, least, most) => {
  await harness.beginActive({ options });
  harness.emulator.quirks.latencyMs = 6 * SECOND;
  harness.advance(MINUTE);
  const ids = harness.submitSpread(950, 60);
  const { elapsedMs, ids: first } = await harness.poll();
  expect(elapsedMs).toBeLessThanOrEqual(45 * SECOND);
  expect(first?.length).toBeGreaterThanOrEqual(least);
  expect(first?.length).toBeLessThanOrEqual(most);
  await harness.pollUntilEmpty();
  expect(harness.delivered).toEqual(ids);
});
