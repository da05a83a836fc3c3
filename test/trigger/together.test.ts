import { compare, DAY, EACH_ONCE, HOUR, MINUTE, SECOND } from './harness';
import {
  addForm,
  begin,
  beginActive,
  DOWN,
  expectEachOnce,
  forms,
  harness,
  hideFromList,
  republish,
  submit,
} from './setup';

// Where two mechanisms meet: each of these was once lost, repeated or late.

const HANGS = { hang: true } as const;

/** Steps of eight hours, with submissions that are all delivered. */
async function fill(steps: number, each: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    const begun = harness.now;
    harness.insertMany(each, (index) => ({ createdAt: begun + SECOND + Math.floor((index * 7 * HOUR) / each) }));
    harness.advance(8 * HOUR);
    await harness.pollUntilEmpty();
  }
}

/** Minutes until a submission is delivered, 300 at most. */
async function minutesUntil(id: string): Promise<number> {
  let minutes = 0;
  for (; !harness.delivered.includes(id) && minutes < 300; minutes++) await harness.pollNextMinute();
  return minutes;
}

describe('a publication with another form', () => {
  it('fails during a rate limit, because nobody would know that the form has not started', async () => {
    await beginActive({ transport: 'inject' });
    const headers = { 'retry-after': '300' };
    harness.emulator.fail({ when: { path: /submissions/, times: 1 }, with: { status: 429, headers } });
    await harness.pollNextMinute();
    await expect(republish(addForm(), 'one')).rejects.toThrow('rate');
  });

  it('has its own time when the poll before it is slow', async () => {
    await beginActive({ transport: 'inject' });
    await harness.pollFor(2 * MINUTE);
    const added = addForm();
    harness.breakService(HANGS, `${forms[0]}/submissions`);
    let publication: Promise<string[]> | undefined;
    const { transport } = harness.inProcess;
    harness.inProcess.transport = async (options, send) => {
      if (options.url.includes('submissions')) publication ??= republish(added, 'one');
      return await transport(options, send);
    };
    await harness.pollNextMinute();
    expect(await publication).toEqual([]);
    harness.advance(20 * SECOND);
    await expectEachOnce([harness.insert({}, added)]);
  });
});

it('with all active forms, the history of forms that an empty list lacked at first is not delivered', async () => {
  await begin({ transport: 'inject', triggerOn: 'allActive', count: 3 });
  for (let each = 0; each < 30; each++) submit(each % 3, { createdAt: harness.now - HOUR + each });
  harness.advance(DAY);
  const end = hideFromList(forms);
  await harness.activate();
  end();
  await harness.pollFor(12 * MINUTE);
  expect(harness.delivered).toEqual([]);
});

describe('a window of many pages', () => {
  it('is seen to its end by polls hours apart that have no time for all of it', async () => {
    await beginActive({ transport: 'inject' });
    await fill(19, 100);
    harness.emulator.onRequest(() => harness.advance(3 * SECOND));
    const late = harness.insert({ createdAt: harness.now - 2 * HOUR });
    for (let poll = 0; poll < 4; poll++) {
      harness.advance(4 * HOUR);
      expect((await harness.poll()).error).toBeUndefined();
    }
    expect(harness.delivered).toContain(late);
  });

  it('that is seen in two does not end the reading of a backlog', async () => {
    await beginActive({ transport: 'inject', options: { maxSubmissions: 100 } });
    await fill(5, 100);
    await harness.pollFor(15 * MINUTE);
    harness.advance(5 * HOUR);
    const ids = harness.insertMany(300, (index) => ({ createdAt: harness.now - 4 * HOUR + index * 40 * SECOND }));
    const polls = [await harness.poll(), await harness.pollNextMinute(), await harness.pollNextMinute()];
    expect(polls.flatMap((poll) => poll.ids ?? [])).toEqual(ids);
  });

  it('does not delay a recent submission that a deletion hides from the count', async () => {
    await beginActive({ transport: 'inject', triggerOn: 'several', count: 2 });
    await fill(15, 100);
    await harness.pollFor(20 * MINUTE);
    harness.emulator.workspace.log(forms[0] ?? '').delete(harness.inserted[700] ?? '');
    expect(await minutesUntil(submit(0))).toBeLessThanOrEqual(10);
  });

  it('that cannot be read does not hold what is recent to a page a poll', async () => {
    await beginActive({ transport: 'inject' });
    await fill(3, 60);
    const isOld = ({ query }: { query: Record<string, string> }) =>
      Date.parse(query['submitted_after'] ?? '') < harness.now - 4 * HOUR;
    harness.emulator.fail({ when: { path: /submissions/, match: isOld, times: Infinity }, with: { status: 500 } });
    harness.advance(10 * MINUTE);
    const ids = harness.insertMany(800, (index) => ({ createdAt: harness.now - 5 * MINUTE + index * 300 }));
    expect((await harness.poll()).ids).toHaveLength(ids.length);
  });
});

it('a publication in a burst, read by small pages, delivers nothing of the past', async () => {
  await begin({ transport: 'inject', options: { maxSubmissions: 1 } });
  harness.emulator.quirks.pageSizeCap = 30;
  const second = harness.now + MINUTE;
  harness.advance(MINUTE + SECOND);
  for (let each = 0; each < 250; each++) harness.insert({ createdAt: second + 2 * each });
  await harness.activate();
  harness.advance(10 * MINUTE);
  const ids = [0, 1, 2].map((each) => harness.insert({ createdAt: second + 600 + each }));
  await harness.pollFor(30 * MINUTE);
  expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
});

it('the seventh form that breaks is named in a report', async () => {
  await beginActive({ transport: 'inject', triggerOn: 'several', count: 9 });
  forms.sort();
  const breakOne = (nth: number) => {
    harness.breakService(DOWN, forms[nth]);
    submit(nth);
  };
  for (let nth = 0; nth < 6; nth++) breakOne(nth);
  await harness.pollFor(2 * MINUTE);
  breakOne(7);
  await harness.pollFor(2 * MINUTE);
  expect(harness.poller.workflow.reported.map(({ error }) => error.message).join()).toContain(forms[7]);
});
