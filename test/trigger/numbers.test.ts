import type { IDataObject } from 'n8n-workflow';
import type { FaultEffect } from '../../emulator/index.ts';
import { DAY, HOUR, MINUTE, SECOND, type PollOutcome } from './outcome';
import { FORBIDDEN, useTrigger } from './triggerHarness';

const harness = useTrigger();

// Numbers that documents promise of the trigger, with the defaults that are shipped. A test that counts submissions or IDs is beside what it is about.

const busy = (seconds: number): FaultEffect => ({ status: 503, headers: { 'retry-after': `${seconds}` }, body: {} });

/** When the requests of a poll arrived: seconds since it began. */
const times = ({ requests, elapsedMs }: PollOutcome) =>
  requests.map(({ at }) => (at - harness.now + elapsedMs) / SECOND);

/** Submissions a second apart, all delivered, in a form that a look shows in one page. */
async function deliver(count: number): Promise<void> {
  harness.submitSpread(count, SECOND);
  await harness.pollUntilEmpty();
}

describe('a look', () => {
  it('shows the whole window every nine minutes', async () => {
    await harness.beginActive();
    await deliver(30);
    harness.advance(HOUR);
    const polls = await harness.pollFor(HOUR);
    const looks = polls.flatMap(({ requests }, minute) => (requests.length > 1 ? [minute] : []));
    expect(looks).toEqual([0, 9, 18, 27, 36, 45, 54]);
  });

  it('shows what was created in the last 15 minutes in each poll', async () => {
    await harness.beginActive();
    await deliver(30);
    harness.advance(HOUR);
    await harness.poll();
    harness.submit({ createdAt: harness.now - 14.5 * MINUTE });
    harness.submit({ createdAt: harness.now - 15.5 * MINUTE });
    expect((await harness.poll()).ids).toEqual([harness.submitted[30]]);
  });

  it.each([
    [24, 1],
    [25, 0],
  ])('with %i submissions in the window, each poll finds %i late finisher', async (known, found) => {
    await harness.beginActive();
    await deliver(known);
    harness.advance(HOUR);
    await harness.poll();
    harness.submit({ createdAt: harness.now - 30 * MINUTE });
    expect((await harness.poll()).ids ?? []).toHaveLength(found);
  });

  it('goes back seven days', async () => {
    await harness.beginActive();
    for (let day = 0; day < 8; day++) await harness.pollFor(DAY, () => harness.submit(), DAY);
    await harness.pollFor(20 * MINUTE);
    const late = harness.submit({ createdAt: harness.now - 7 * DAY + HOUR });
    harness.submit({ createdAt: harness.now - 7 * DAY - HOUR });
    await harness.pollFor(20 * MINUTE);
    expect(harness.delivered.slice(8)).toEqual([late]);
  });
});

it.each([
  ["n8n's timers", 'memory', {}, { pages: 36, titles: 45 }],
  ["n8n's timers, with files,", 'memory', { downloadFiles: true }, { pages: 18, titles: 27 }],
  ["n8n's scheduler", 'scheduler', {}, { pages: 28.8, titles: 36 }],
  ["n8n's scheduler, with files,", 'scheduler', { downloadFiles: true }, { pages: 14.4, titles: 21.6 }],
] as const)(
  'a poll of %s requests pages and titles in its time: %s, %j, %j (seconds)',
  async (_, scheduler, options, ends) => {
    await harness.beginActive({ scheduler, options, output: 'row' });
    /** Polls when the page has to be requested a second time, so many seconds later, and the title never arrives. */
    const pollWith = async (seconds: number) => {
      harness.advance(MINUTE);
      harness.submit();
      harness.emulator.reset();
      harness.emulator.fail({ when: { path: /submissions$/ }, with: busy(seconds) });
      harness.breakService({ hang: true }, /forms\/[^/]+$/);
      const { requests, elapsedMs } = await harness.poll();
      return { pages: requests.filter(({ path }) => path.endsWith('submissions')).length, seconds: elapsedMs / SECOND };
    };
    expect(await pollWith(ends.pages - 0.1)).toEqual({ pages: 2, seconds: expect.closeTo(ends.titles) as unknown });
    expect(await pollWith(ends.pages + 0.1)).toEqual({ pages: 1, seconds: 0 });
  },
);

it('an attempt takes ten seconds at most, and a second one follows', async () => {
  await harness.beginActive();
  harness.breakService({ hang: true });
  const poll = await harness.pollNextMinute();
  expect(poll.requests).toHaveLength(2);
  expect(times(poll)[1]).toBeGreaterThanOrEqual(10.25);
  expect(times(poll)[1]).toBeLessThanOrEqual(10.5);
});

it('files end after 95 % of a poll, and n8n stores the items in the rest', async () => {
  await harness.beginActive({ options: { downloadFiles: true }, output: 'simplified' });
  harness.emulator.workspace.updateForm(harness.formId, { questions: [{ label: 'Resume', kind: 'file_upload' }] });
  const { id } = harness.emulator.workspace.addFile({ name: 'a', type: 'text/plain', data: Buffer.alloc(3_000) });
  harness.breakService({ drip: 100, everyMs: 5 * SECOND }, /files|store/);
  harness.advance(MINUTE);
  harness.submit({ answers: { resume: { files: [{ name: 'a', url: `${harness.url}/files/${id}/a` }] } } });
  expect((await harness.poll()).elapsedMs).toBe(0.95 * 45 * SECOND);
});

it.each([
  ['10,000', {}, 10_000],
  ['half as many, with files,', { downloadFiles: true }, 5_000],
])('a poll can read about %s submissions of one second, at 0.3 s per response', async (_, options, count) => {
  await harness.beginActive({ options: { maxSubmissions: 100_000, ...options } });
  harness.emulator.quirks.latencyMs = 300;
  harness.advance(MINUTE);
  const createdAt = harness.now - SECOND;
  harness.submitMany(1.3 * count, () => ({ createdAt }));
  const { ids } = await harness.poll();
  expect(ids?.length).toBeGreaterThanOrEqual(count);
  expect(ids?.length).toBeLessThan(1.25 * count);
});

it('the same report comes once an hour', async () => {
  await harness.beginActive({ triggerOn: 'allActive' });
  harness.breakService(FORBIDDEN, harness.forms[1]);
  const reports: number[] = [];
  for (let minute = 0; minute < 130; minute++) {
    const before = harness.workflow.reported.length;
    await harness.pollNextMinute(() => harness.submit({ form: 1 }));
    if (harness.workflow.reported.length > before) reports.push(minute);
  }
  expect(reports).toEqual([0, 60, 120]);
});

it('a publication waits five seconds for n8n to store what a poll has returned', async () => {
  await harness.beginActive();
  harness.submit();
  harness.advance(MINUTE);
  let publication: PollOutcome | undefined;
  const beforeStoring = async () => {
    harness.workflow.change({ name: 'New name' });
    publication = await harness.activate('update');
  };
  await harness.poll({ beforeStoring });
  expect(publication?.elapsedMs).toBe(5 * SECOND);
});

it('the state of a trigger that was removed is kept for 30 days', async () => {
  await harness.begin({ triggerOn: 'several', count: 2 });
  const workflow = harness.newWorkflowOfEachForm();
  await workflow.activateAll();
  workflow.edit((nodes) => nodes.slice(0, 1));
  for (const [days, isThere] of [
    [29.9, true],
    [0.2, false],
  ] as const) {
    harness.advance(days * DAY);
    harness.submit({ form: 0 });
    await workflow.poll();
    expect('neetoFormTrigger:node-1' in (workflow.staticDataOf().global as IDataObject)).toBe(isThere);
  }
});

it('the state of a trigger that finds nothing is stored again after 15 days, so that it never counts as removed', async () => {
  await harness.beginActive();
  harness.advance(14.9 * DAY);
  const before = await harness.poll();
  expect(before.staticData).toEqual(before.staticDataBefore);
  harness.advance(0.2 * DAY);
  const after = await harness.poll();
  expect(after.staticData).not.toEqual(after.staticDataBefore);
});

it.each([
  ['goes on after less than a week', 6.8, 1],
  ['starts anew after more', 7.2, 0],
])('a form that the list lacks for a while %s: %d days', async (_, days, found) => {
  await harness.beginActive({ triggerOn: 'allActive', count: 2 });
  harness.advance(HOUR);
  const show = harness.hideFromList(harness.forms.slice(1));
  await harness.poll();
  harness.advance(days * DAY);
  harness.submit({ form: 1, createdAt: harness.now - DAY });
  await harness.poll();
  show();
  await harness.pollUntilEmpty();
  expect(harness.delivered).toHaveLength(found);
});
