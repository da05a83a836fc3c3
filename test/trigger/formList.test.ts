import type { FaultEffect, ResponseBody } from '../../emulator/index.ts';
import { compare, DAY, EACH_ONCE, HOUR, idsOf, LOOK, MINUTE, SECOND } from './outcome';
import { DOWN, FORBIDDEN, limited, useTrigger } from './triggerHarness';

const harness = useTrigger();

/** The service does not tell its time. */
const hideTime = () => harness.breakService({ rewrite: (body, reply) => (reply.removeHeader('date'), body) });

describe('with all active forms', () => {
  const deliverTen = async () => {
    for (let round = 0; round < 10; round++) await harness.pollNextMinute(harness.submitToAll);
    await harness.expectEachOnce();
  };

  it('lists that lack every form for half an hour repeat nothing, and lose nothing', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    await deliverTen();
    const show = harness.hideFromList(harness.forms);
    await harness.pollFor(30 * MINUTE, harness.submitToAll);
    show();
    await harness.pollFor(LOOK);
    harness.submit({ form: 1 });
    await harness.expectEachOnce();
  });

  it.each(['is', 'is archived and'])(
    'a form that a list lacks at first is new, although a later one %s listed',
    async (is) => {
      await harness.beginActive({ triggerOn: 'allActive', count: 1 });
      await harness.pollFor(LOOK);
      harness.forms.push(harness.addForm());
      const show = harness.hideFromList(harness.forms.slice(1));
      harness.advance(SECOND);
      harness.forms.push(harness.addForm());
      if (is !== 'is') harness.archive(2);
      await harness.pollNextMinute(() => [harness.submit({ form: 1 }), harness.submit({ form: 2 })]);
      show();
      await harness.expectEachOnce();
    },
  );

  it('a form is new although the service tells no time and the clock of this computer is ahead', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 1 });
    hideTime();
    harness.time.skew = 2 * DAY;
    await harness.activate();
    await harness.pollFor(LOOK);
    harness.forms.push(harness.addForm());
    harness.submit({ form: 1 });
    harness.advance(SECOND);
    await harness.pollNextMinute(() => harness.submit({ form: 1 }));
    await harness.expectEachOnce();
  });

  it('a form that becomes visible is old although the service tells no time and the clock is set back', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 1 });
    hideTime();
    harness.advance(DAY);
    harness.forms.push(harness.addForm());
    await harness.activate();
    harness.time.skew = -3 * DAY;
    await harness.pollFor(2 * MINUTE);
    const { id } = harness.emulator.workspace.addForm({ title: 'Visible now', createdAt: harness.now - DAY });
    harness.submit({ form: id });
    await harness.pollNextMinute();
    await harness.expectEachOnce([harness.submit({ form: id })]);
  });

  it('a form that a list lacks is kept for a week of the service, although the clock of this computer is ahead', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 2 });
    harness.advance(DAY);
    await harness.activate();
    const show = harness.hideFromList(harness.forms.slice(1));
    await harness.pollFor(2 * MINUTE);
    harness.time.skew = 8 * DAY;
    await harness.pollFor(2 * MINUTE);
    harness.time.skew = 0;
    harness.submit({ form: 1 });
    await harness.pollFor(2 * MINUTE);
    show();
    await harness.expectEachOnce();
  });

  it('a form that the list lacks twice, more than a week apart, is kept for a week each time', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    harness.advance(HOUR);
    const lack = async (arrive?: () => unknown) => {
      const show = harness.hideFromList(harness.forms.slice(1));
      await harness.pollNextMinute(arrive);
      show();
      await harness.pollNextMinute();
    };
    await lack();
    harness.advance(8 * DAY);
    await harness.pollNextMinute();
    await lack(() => harness.submit({ form: 1 }));
    await harness.expectEachOnce();
  });

  it('the first form of an empty workspace is new although the service tells no time', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 1 });
    harness.emulator.workspace.deleteForm(harness.formId);
    hideTime();
    await harness.activate();
    const form = harness.addForm();
    await harness.pollNextMinute(() => harness.submit({ form }));
    await harness.expectEachOnce();
  });

  it('a form counts as active where the list does not say whether it is archived', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 2 });
    const rewrite = ({ forms: listed, ...others }: ResponseBody) => ({
      ...others,
      forms: listed?.map(({ is_archived: _archived, ...form }) => form),
    });
    harness.breakService({ rewrite }, /\/forms$/);
    harness.advance(DAY);
    await harness.activate();
    harness.submitToAll();
    await harness.expectEachOnce();
  });

  it('a list that fails once is read again in the same poll', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    await harness.pollNextMinute();
    harness.emulator.fail({ when: { path: /\/forms$/ }, with: DOWN });
    const outcome = await harness.pollNextMinute(harness.submitToAll);
    expect([outcome.ids?.length, outcome.error]).toEqual([2, undefined]);
  });

  it('stores nothing in most of the polls in which nothing is new', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 2 });
    await deliverTen();
    const stored = (await harness.pollFor(HOUR)).map(({ staticData }) => JSON.stringify(staticData));
    expect(new Set(stored).size).toBeLessThanOrEqual(25);
  });

  it('a form that becomes visible to the key, created before, starts with its new submissions', async () => {
    await harness.begin({ triggerOn: 'allActive', count: 2 });
    harness.advance(DAY);
    const show = harness.hideFromList(harness.forms.slice(1));
    await harness.activate();
    await harness.pollFor(5 * MINUTE, () => [harness.submit({ form: 0 }), harness.submit({ form: 1 })]);
    show();
    const past = harness.submitted.filter((_, index) => index % 2 === 1);
    await harness.pollNextMinute();
    await harness.pollFor(3 * MINUTE, () => harness.submit({ form: 1 }));
    await harness.expectEachOnce(harness.submitted.filter((id) => !past.includes(id)));
  });

  it('a form that lists lack for its first quarter of an hour is new, although a later list has come', async () => {
    await harness.beginActive({ triggerOn: 'allActive', count: 1 });
    await harness.pollFor(14 * MINUTE);
    harness.forms.push(harness.addForm());
    const show = harness.hideFromList(harness.forms.slice(1));
    await harness.pollFor(15 * MINUTE, () => harness.submit({ form: 1 }));
    show();
    await harness.expectEachOnce();
  });
});

it.each<[what: string, effect: FaultEffect, minutesBefore: number, seconds: number]>([
  ['is refused from the beginning', FORBIDDEN, 0, 0],
  ['fails', DOWN, 1, 0],
  ['never comes', { hang: true }, 15, 10],
  ['is limited for two seconds', limited(2), 1, 2],
])(
  'with several forms, everything is delivered by the next poll while the list of forms %s',
  async (_what, effect, minutesBefore, seconds) => {
    await harness.begin({ triggerOn: 'several', count: 4 });
    const past = harness.submitToAll();
    harness.advance(SECOND);
    if (minutesBefore === 0) harness.breakService(effect, /\/forms$/);
    expect((await harness.activate()).error).toBeUndefined();
    await harness.pollFor(minutesBefore * MINUTE);
    harness.breakService(effect, /\/forms$/);
    const polls = await harness.pollFor(3 * MINUTE, harness.submitToAll);
    expect(compare(idsOf(polls), harness.submitted.slice(past.length))).toEqual(EACH_ONCE);
    // It is asked for once.
    expect(Math.max(...polls.map(({ elapsedMs }) => elapsedMs))).toBe(seconds * SECOND);
  },
);

it('with several forms, idle ones are read while the list of forms fails, and no longer after it', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 4 });
  harness.emulator.fail({ when: { path: /\/forms$/ }, with: DOWN });
  const polls = await harness.pollFor(2 * MINUTE);
  expect(polls.map(({ requests }) => requests.length)).toEqual([5, 1]);
});

it('a form without a creation time fails the poll of a whole workspace, and loses nothing', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 1 });
  await harness.pollFor(30 * MINUTE);
  const added = harness.addForm();
  const rewrite = ({ forms: listed, ...others }: ResponseBody) => ({
    ...others,
    forms: listed?.map((form) => (form['id'] === added ? { ...form, created_at: null } : form)),
  });
  const fix = harness.breakService({ rewrite }, /\/forms$/);
  const { error } = await harness.pollNextMinute(harness.submitToAll);
  expect(error?.message).toContain("a form has no 'created_at'");
  fix();
  await harness.expectEachOnce();
});
