import type { FaultEffect, ResponseBody } from '../../emulator/index.ts';
import { compare, DAY, EACH_ONCE, HOUR, idsOf, LOOK, MINUTE, type PollOutcome, SECOND, toText } from './outcome';
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
});

it.each<[what: string, effect: FaultEffect, minutesBefore: number, seconds: number]>([
  ['is refused from the beginning', FORBIDDEN, 0, 0],
  ['fails', DOWN, 1, 0],
  ['never comes', { hang: true }, 15, 10],
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

describe('the questions of a form', () => {
  const questions = ['Full name', 'Remarks'].map((label) => ({ label, kind: 'short_text' }));
  const watchForms = async (count: number) => {
    await harness.beginActive({ triggerOn: 'allActive', output: 'simplified', questions, count });
    harness.forms.forEach((id, nth) => harness.emulator.workspace.updateForm(id, { title: `Form ${nth}` }));
    await harness.pollFor(LOOK);
  };
  const submitAnswers = () => harness.submitToAll({ answers: { 'full-name': 'Jane' } });
  /** Every submission was delivered once, with the title of its form and the question that was skipped. */
  const expectComplete = (polls: PollOutcome[]) => {
    for (const { json } of polls.flatMap(({ items }) => items)) {
      const form_title = `Form ${harness.forms.indexOf(toText(json.form_id))}`;
      expect(json).toMatchObject({ form_title, answers: { 'Full name': 'Jane', Remarks: null } });
    }
    expect(compare(idsOf(polls), harness.submitted)).toEqual(EACH_ONCE);
  };

  it('are in every item of sixty forms with news on a slow service', async () => {
    await watchForms(60);
    harness.emulator.quirks.latencyMs = 3 * SECOND;
    submitAnswers();
    expectComplete(await harness.pollFor(5 * MINUTE));
  });

  it.each<[what: string, effect: FaultEffect]>([
    ['answers 503', { status: 503 }],
    ['answers 429', limited(50)],
    ['never answers', { hang: true }],
  ])('are waited for while the form %s, and no longer than until the next poll', async (_what, effect) => {
    await watchForms(3);
    const fix = harness.breakService(effect, new RegExp(`${harness.forms[1]}$`));
    submitAnswers();
    const first = await harness.pollNextMinute();
    expect(first.elapsedMs).toBeLessThanOrEqual(46 * SECOND);
    fix();
    expectComplete([first, await harness.pollNextMinute()]);
    await harness.expectEachOnce();
  });

  it.each([403, 404])('are not waited for when the form answers %i', async (status) => {
    await watchForms(1);
    harness.breakService({ status, body: { error: 'No' } }, /forms\/[^/]+$/);
    const [id] = submitAnswers();
    const { items } = await harness.pollNextMinute();
    expect(items.map(({ json }) => json)).toMatchObject([{ id, form_title: null }]);
  });
});

it('delivers a backlog of eight hours in each of eight forms with at most 25 requests per thousand', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 8, output: 'simplified' });
  await harness.pollFor(LOOK);
  harness.advance(8 * HOUR);
  for (const id of harness.forms) harness.submitSpread(500, (8 * HOUR) / 500, id);
  const polls = await harness.pollUntilEmpty();
  expect(compare(idsOf(polls), harness.submitted)).toEqual(EACH_ONCE);
  const requests = polls.filter(({ ids }) => ids !== null).flatMap((poll) => poll.requests);
  expect((requests.length * 1_000) / harness.submitted.length).toBeLessThanOrEqual(25);
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
