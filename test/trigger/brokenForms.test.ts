import type { FaultEffect } from '../../emulator/index.ts';
import { compare, HOUR, idsOf, LOOK, MINUTE, SECOND } from './outcome';
import { FORBIDDEN, useTrigger } from './triggerHarness';

const harness = useTrigger({ triggerOn: 'allActive', output: 'simplified' });

const HANGS: FaultEffect = { hang: true };

const breakForms = (effect: FaultEffect, count: number) => {
  for (const id of harness.forms.slice(0, count)) harness.breakService(effect, `${id}/submissions`);
};

it.each<[what: string, effect: FaultEffect]>([
  ['hang', HANGS],
  ['answer 429', { status: 429 }],
])('two dozen forms that %s do not hold back the others', async (_, effect) => {
  await harness.beginActive({ count: 30 });
  await harness.pollFor(2 * MINUTE);
  breakForms(effect, 24);
  const ids = harness.submitToAll().slice(24);
  for (let minute = 0; minute < 12; minute++) await harness.pollNextMinute();
  expect(compare(harness.delivered, ids)).toMatchObject({ lost: 0, repeated: 0 });
});

it.each([
  ['', 5, 20, false],
  [' and files', 4, 18, true],
])('where each response takes seconds, none of many busy forms starves (forms%s)', async (_, seconds, count, files) => {
  await harness.beginActive({ count, options: { downloadFiles: files } });
  await harness.pollFor(2 * MINUTE);
  harness.breakService({ delayMs: seconds * SECOND });
  for (let minute = 0; minute < 12; minute++) await harness.pollNextMinute(harness.submitToAll);
  expect(Math.min(...harness.counts)).toBeGreaterThanOrEqual(7);
});

it('idle forms that hang do not stop the looks at the windows of others', async () => {
  await harness.beginActive({ count: 12 });
  await harness.pollFor(2 * MINUTE);
  for (let minute = 0; minute < 3; minute++) await harness.pollNextMinute(harness.submitToAll);
  // No count changes.
  harness.fixCounts(3);
  await harness.pollFor(2 * LOOK);
  breakForms(HANGS, 6);
  await harness.pollFor(12 * MINUTE);
  const late = harness.submit({ form: 11, createdAt: harness.now - HOUR });
  expect(idsOf(await harness.pollFor(2 * LOOK))).toEqual([late]);
});

it.each(['from its publication on', 'from some time on'])(
  'costs no request in every poll for each form that the key may not read %s',
  async (since) => {
    await harness.begin({ count: 60 });
    if (since === 'from its publication on') breakForms(FORBIDDEN, 50);
    await harness.activate();
    await harness.pollFor(2 * MINUTE);
    if (since === 'from some time on') {
      await harness.pollNextMinute(harness.submitToAll);
      breakForms(FORBIDDEN, 50);
    }
    await harness.pollFor(2 * LOOK);
    const polls = await harness.pollFor(LOOK);
    expect(polls.flatMap(({ requests }) => requests).length / polls.length).toBeLessThanOrEqual(5 + 60 / 8);
  },
);
