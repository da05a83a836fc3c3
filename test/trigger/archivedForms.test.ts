import type { ResponseBody } from '../../emulator/index.ts';
import { DAY, HOUR, idsOf, LOOK, MINUTE, SECOND, START } from './outcome';
import { DOWN, FORBIDDEN, useTrigger } from './triggerHarness';

const harness = useTrigger();

it('delivers what an archived form still shows late, and reads it only when its count changes', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  await harness.pollNextMinute(() => harness.submit({ form: 1 }));
  const late = harness.submit({ form: 1, visibleAt: harness.now + 3 * HOUR });
  harness.archive(1);
  await harness.pollNextMinute();
  harness.time.skew = 8 * DAY;
  const polls = await harness.pollFor(3 * HOUR + LOOK + MINUTE);
  expect(idsOf(polls)).toEqual([late]);
  const toForm = polls.filter(({ requests }) => requests.some(({ path }) => path.includes(`${harness.forms[1]}/`)));
  expect(toForm.length).toBeLessThanOrEqual(2);
  harness.advance(9 * DAY);
  const last = harness.submit({ form: 1 });
  expect((await harness.poll()).ids).toEqual([last]);
  harness.archive(1, false);
  await harness.expectEachOnce();
});

it('starts a form that was created and archived in the minutes before the publication with what it shows later', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 2 });
  harness.submit({ form: 1 });
  const late = harness.submit({ form: 1, visibleAt: harness.now + 5 * MINUTE });
  harness.archive(1);
  harness.advance(MINUTE);
  await harness.activate();
  await harness.expectEachOnce([late]);
});

it('delivers a late finisher of an archived form with many submissions, when its count changes', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  harness.submitMany(40, () => ({ form: 1 }));
  await harness.pollFor(HOUR);
  harness.archive(1);
  harness.submit({ form: 1, createdAt: START + MINUTE });
  await harness.pollNextMinute();
  await harness.expectEachOnce();
});

it('delivers a late finisher of an archived form that could not be read for a week, whatever was read first', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  harness.submitMany(30, () => ({ form: 1 }));
  await harness.pollFor(HOUR);
  harness.submit({ form: 1 });
  await harness.pollFor(HOUR);
  const fix = harness.breakService(DOWN, `${harness.forms[1]}/submissions`);
  harness.archive(1);
  harness.submit({ form: 1, createdAt: START + MINUTE });
  await harness.pollFor(8 * DAY, undefined, DAY);
  fix();
  await harness.expectEachOnce();
});

it('does not read an archived form whose count is not told', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  await harness.pollNextMinute(() => harness.submit({ form: 1 }));
  harness.archive(1);
  const rewrite = ({ forms: listed, ...others }: ResponseBody) => ({
    ...others,
    forms: listed?.map(({ submissions_count: _count, ...form }) => form),
  });
  harness.breakService({ rewrite }, /\/forms$/);
  const paths = (await harness.pollFor(LOOK)).flatMap(({ requests }) => requests.map(({ path }) => path));
  expect(paths.filter((path) => path.endsWith(`/${harness.forms[1]}/submissions`))).toEqual([]);
});

it('delivers a backlog of an archived form, however late it is polled', async () => {
  await harness.beginActive({ triggerOn: 'allActive', options: { maxSubmissions: 20 } });
  for (let at = START; at < START + 100 * 100; at += 100) harness.submit({ form: 2, createdAt: at, visibleAt: at });
  harness.advance(5 * MINUTE);
  harness.archive(2);
  harness.advance(3 * HOUR);
  await harness.poll();
  harness.advance(8 * DAY);
  await harness.pollUntilEmpty(6);
  await harness.expectEachOnce();
});

it('a form that was archived, and then chosen and restored, is watched when it is archived again', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  await harness.pollNextMinute(harness.submitToAll);
  harness.archive(1);
  await harness.pollNextMinute();
  await harness.republish(harness.forms);
  harness.archive(1, false);
  await harness.pollFor(8 * DAY, harness.submitToAll, DAY);
  harness.advance(MINUTE);
  harness.submit({ form: 1 });
  harness.archive(1);
  await harness.republish([], 'allActive');
  await harness.pollFor(LOOK + MINUTE);
  harness.submit({ form: 1 });
  await harness.expectEachOnce();
});

it('does not start an archived form that Several Forms adds on the day when all active forms began', async () => {
  await harness.begin({ triggerOn: 'allActive' });
  harness.archive(2);
  harness.advance(DAY);
  await harness.activate();
  const past = [harness.submit({ form: 2 })];
  await harness.pollFor(5 * MINUTE, () => [harness.submit({ form: 0 }), past.push(harness.submit({ form: 2 }))]);
  harness.advance(SECOND);
  await harness.republish(harness.forms);
  harness.submit({ form: 2 });
  await harness.expectEachOnce(harness.submitted.filter((id) => !past.includes(id)));
});

it.each([0, 40])(
  'delivers what came to a form (of %i more) before it was archived, although a deletion balances its count',
  async (more) => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    const old = harness.submit({ form: 1 });
    harness.submitMany(more, () => ({ form: 1 }));
    await harness.pollUntilEmpty();
    await harness.pollFor(HOUR);
    harness.submit({ form: 1 });
    harness.emulator.workspace.deleteSubmission(harness.forms[1] ?? '', old);
    harness.archive(1);
    await harness.expectEachOnce();
  },
);

it('delivers what an archived form shows late while it cannot be read, although a deletion balances its count', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  const old = harness.submit({ form: 1 });
  await harness.pollNextMinute();
  harness.archive(1);
  await harness.pollNextMinute();
  const fix = harness.breakService(DOWN, `${harness.forms[1]}/submissions`);
  await harness.pollNextMinute(() => harness.submit({ form: 1 }));
  harness.emulator.workspace.deleteSubmission(harness.forms[1] ?? '', old);
  fix();
  await harness.expectEachOnce();
});

it('delivers the same when the form was archived and restored minutes before', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  const old = harness.submit({ form: 1 });
  await harness.pollFor(HOUR);
  harness.archive(1);
  await harness.pollNextMinute();
  harness.archive(1, false);
  await harness.pollNextMinute();
  harness.submit({ form: 1 });
  harness.emulator.workspace.deleteSubmission(harness.forms[1] ?? '', old);
  await harness.pollNextMinute();
  harness.archive(1);
  await harness.expectEachOnce();
});

it.each([
  ['an archived form fails no poll', 1, undefined],
  ['the only active form fails the poll', 0, 'Not allowed'],
])('of an active and an archived form, %s', async (_what, broken, message) => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  await harness.pollNextMinute(harness.submitToAll);
  harness.archive(1);
  await harness.pollNextMinute();
  harness.submit({ form: broken });
  const fix = harness.breakService(FORBIDDEN, `${harness.forms[broken]}/`);
  expect((await harness.pollNextMinute()).error?.message).toBe(message);
  fix();
  await harness.expectEachOnce();
});

it('a chosen form is looked at as before when it is archived, and its failure is one of the poll', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 1 });
  const old = harness.submit();
  await harness.pollFor(HOUR);
  harness.archive(0);
  await harness.pollNextMinute();
  // Its count does not change.
  harness.submit({ createdAt: harness.now - 30 * MINUTE });
  harness.emulator.workspace.deleteSubmission(harness.formId, old);
  await harness.expectEachOnce();
  harness.breakService(FORBIDDEN, /submissions/);
  harness.submit();
  expect((await harness.pollNextMinute()).error?.message).toBe('Not allowed');
});

it('an archived form that cannot be read is reported, and fails no poll, even if no form is active', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 1 });
  await harness.pollNextMinute(() => harness.submit());
  harness.archive(0);
  harness.breakService(FORBIDDEN, /submissions/);
  harness.submit();
  await harness.pollFor(30 * MINUTE);
  expect(harness.workflow.reported).toHaveLength(1);
  harness.emulator.reset();
  await harness.expectEachOnce();
});
