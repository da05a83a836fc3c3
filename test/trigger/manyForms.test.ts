import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  causeOf,
  compare,
  EACH_ONCE,
  expectFailure,
  HOUR,
  idsOf,
  LOOK,
  MINUTE,
  type PollOutcome,
  SECOND,
} from './outcome';
import { DOWN, FORBIDDEN, limited, useTrigger } from './triggerHarness';

const harness = useTrigger();

/** The forms whose submissions were requested. */
const formsIn = (polls: PollOutcome[]) => {
  const paths = polls.flatMap(({ requests }) => requests.map(({ path }) => path));
  return harness.forms.filter((id) => paths.some((path) => path.endsWith(`/${id}/submissions`)));
};

/** Counts the requests under way: now, and whenever one is sent. */
function countUnderWay(): { counts: number[]; now: number } {
  const underWay = { counts: new Array<number>(), now: 0 };
  harness.inProcess.transport = async (options, send) => {
    underWay.counts.push(++underWay.now);
    return await send(options).finally(() => underWay.now--);
  };
  return underWay;
}

it('sends at most six requests at a time, and one once the service says that it gets too many', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 12 });
  const { counts } = countUnderWay();
  expect((await harness.pollNextMinute(harness.submitToAll)).ids).toHaveLength(12);
  expect(Math.max(...counts)).toBe(6);
  harness.emulator.fail({ when: { path: /submissions/ }, with: limited(0) });
  expect((await harness.pollNextMinute(harness.submitToAll)).ids).toHaveLength(12);
  expect(Math.max(...counts.slice(-6))).toBe(1);
});

it('watches all forms of a list of several pages, and says of each submission of which form it is', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 230 });
  const watched = [0, 120, 229];
  const { items } = await harness.pollNextMinute(() => watched.map((form) => harness.submit({ form })));
  expect(items.map(({ json }) => json.form_id).toSorted()).toEqual(watched.map((nth) => harness.forms[nth]).toSorted());
  await harness.expectEachOnce();
});

it('says of each submission of chosen forms, too, of which form it is, in raw output', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 2, output: 'raw' });
  const { items } = await harness.pollNextMinute(harness.submitToAll);
  // The form comes first: a raw submission is long.
  const firsts = items.map(({ json }) => Object.entries(json)[0]);
  expect(firsts.toSorted()).toEqual(harness.forms.toSorted().map((id) => ['form_id', id]));
});

it('adds no ID of the form to raw output of one form', async () => {
  await harness.beginActive({ triggerOn: 'one', output: 'raw' });
  const { items } = await harness.pollNextMinute(() => harness.submit());
  expect(items).toHaveLength(1);
  expect(items[0]?.json).not.toHaveProperty('form_id');
});

it('fails, with its state unchanged, when no form can be read', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  await harness.pollNextMinute();
  const fix = harness.breakService(DOWN);
  const outcome = await harness.pollNextMinute(harness.submitToAll);
  expectFailure(outcome, 'Down for maintenance');
  expect(causeOf(outcome.error)).toBe('temporarily-unavailable');
  expect(harness.workflow.reported).toEqual([]);
  fix();
  await harness.expectEachOnce();
});

it('fails with the reason of the form that is broken when the others have never answered, or not been reached', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 14 });
  const [broken = '', ...silent] = harness.forms;
  harness.breakService(FORBIDDEN, broken);
  for (const id of silent) harness.breakService({ hang: true }, id);
  expectFailure(await harness.pollNextMinute(harness.submitToAll), 'Not allowed');
});

it('takes the text of an expression for a list, and two spellings of one form for one form', async () => {
  await harness.begin({ triggerOn: 'several' });
  harness.inProcess.transport = async (options, send) => await send({ ...options, url: options.url.toLowerCase() });
  const [first = '', second = ''] = harness.forms;
  harness.choose(`${first},  ${first} ${first.toUpperCase()}; ${second};`);
  await harness.activate();
  for (const form of [0, 1]) harness.submit({ form });
  const polls = await harness.pollFor(LOOK + MINUTE);
  await harness.expectEachOnce();
  expect(formsIn(polls)).toEqual([first, second]);
});

it.each([5 * MINUTE, -5 * MINUTE])(
  'an activation of the whole workspace starts a form that cannot be read by the earlier of both clocks (%i), and reports it',
  async (localSkew) => {
    await harness.begin({ triggerOn: 'allActive', count: 5 });
    harness.time.skew = localSkew;
    harness.submitToAll();
    harness.advance(10 * SECOND);
    const fix = harness.breakService(DOWN, harness.forms[2]);
    expect((await harness.activate()).error).toBeUndefined();
    expect(harness.workflow.reported).toHaveLength(1);
    const ids = harness.submitToAll();
    fix();
    await harness.pollFor(12 * MINUTE);
    ids.push(...harness.submitToAll());
    // With a clock that is behind, what was submitted to this form in that time is delivered, too.
    await harness.expectEachOnce([...ids, ...(localSkew < 0 ? harness.submitted.slice(2, 3) : [])]);
  },
);

it('an activation loses nothing that is submitted while it runs to a form that cannot be read', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 5 });
  harness.breakService(DOWN, harness.forms[2]);
  const ids: string[] = [];
  harness.emulator.onRequest(({ path }) => {
    harness.advance(2 * SECOND);
    if (path.endsWith('/submissions') && ids.length === 0) ids.push(harness.submit({ form: 2 }));
  });
  expect((await harness.activate()).error).toBeUndefined();
  harness.emulator.reset();
  await harness.expectEachOnce(ids);
});

it('a poll that fails leaves no request behind', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 6 });
  const [refused = '', ...slow] = harness.forms;
  harness.breakService({ status: 401, body: { error: 'No' } }, refused);
  const underWay = countUnderWay();
  for (const id of slow) harness.breakService({ delayMs: 10 * SECOND }, id);
  const began = harness.now;
  expect((await harness.activate()).error).toMatchObject({ httpCode: '401' });
  await nextTurn();
  expect(underWay.now).toBe(0);
  expect(harness.now - began).toBeLessThan(SECOND);
});

it.each(['', ', after n8n has started again'])(
  'reads each of 250 idle forms in ten minutes, by 5 + 250/8 requests per poll on average, and twice as many at most%s',
  async (when) => {
    await harness.beginActive({ triggerOn: 'allActive', count: 250 });
    if (when !== '') await harness.restart();
    const first = await harness.pollFor(10 * MINUTE);
    const polls = await harness.pollFor(10 * MINUTE);
    expect([formsIn(first), formsIn(polls)]).toEqual([harness.forms, harness.forms]);
    expect(polls.flatMap(({ requests }) => requests).length / polls.length).toBeLessThanOrEqual(5 + 250 / 8);
    expect(Math.max(...polls.map(({ requests }) => requests.length))).toBeLessThanOrEqual(2 * (5 + 250 / 8));
  },
);

it('reads only some of the forms again in the poll after their publication, and after each was read, too', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 60 });
  for (const { requests } of await harness.pollFor(3 * MINUTE)) expect(requests.length).toBeLessThanOrEqual(5 + 60 / 8);
});

it('reads a form at once whose count falls, because more were deleted than submitted', async () => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  const old = harness.submitMany(12);
  await harness.pollUntilEmpty();
  // A look at the window is due in one of these minutes at most.
  const polls = await harness.pollFor(3 * MINUTE, () => {
    for (const id of old.splice(0, 2)) harness.emulator.workspace.deleteSubmission(harness.formId, id);
    harness.submit({ form: 0 });
  });
  expect(polls.map(({ ids }) => ids)).toEqual(harness.submitted.slice(-3).map((id) => [id]));
});

it('delivers at the next poll what waits in a form whose count is as before, because others were deleted', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 2, options: { maxSubmissions: 1 } });
  const gone = [harness.submit({ form: 0 }), harness.submit({ form: 0 })];
  await harness.activate();
  const [first, waiting] = [harness.submit({ form: 0 }), harness.submit({ form: 0 })];
  expect((await harness.pollNextMinute()).ids).toEqual([first]);
  for (const id of gone) harness.emulator.workspace.deleteSubmission(harness.formId, id);
  expect((await harness.pollNextMinute()).ids).toEqual([waiting]);
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
