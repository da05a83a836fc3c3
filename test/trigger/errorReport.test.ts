import {
  compare,
  createHarness,
  EACH_ONCE,
  HOUR,
  MINUTE,
  SECOND,
  type HarnessOptions,
  type TriggerHarness,
} from './harness';

jest.setTimeout(60_000);

let harness: TriggerHarness;
/** The forms of the workspace; the first one is the harness's own. */
let forms: string[];

/** A trigger of several forms that is active. */
async function begin(count: number, options: HarnessOptions = {}): Promise<void> {
  harness = await createHarness({ transport: 'inject', parameters: { watch: 'active' }, ...options });
  const others = Array.from({ length: count - 1 }, () => harness.emulator.workspace.addForm({ title: 'Other' }).id);
  forms = [harness.formId, ...others];
  await harness.activate();
}

/** Makes every request for these forms fail. @returns a function that ends it */
function breakForms(...places: number[]): () => void {
  const broken = places.map((place) => forms[place] ?? '');
  return harness.emulator.fail({
    when: { match: ({ path }) => broken.some((id) => path.includes(id)), every: 1 },
    with: { status: 403, body: { error: 'Not allowed' } },
  });
}

/** Polls every minute for so long while every form gets a submission a minute. @returns how many failures were reported */
async function reportsIn(ms: number): Promise<number> {
  const before = harness.poller.reported.length;
  for (const end = harness.now + ms; harness.now < end;) {
    for (const id of forms) harness.insert({}, id);
    expect((await harness.pollNextMinute()).error).toBeUndefined();
  }
  return harness.poller.reported.length - before;
}

afterEach(async () => await harness.close());

describe('broken forms among several', () => {
  it('are reported as one failed execution an hour, however their order changes', async () => {
    await begin(4);
    breakForms(1, 3);
    expect(await reportsIn(HOUR)).toBe(1);
    expect(harness.poller.reported[0]?.message).toContain('2 of 4 forms');
    expect(await reportsIn(HOUR)).toBe(1);
  });

  it('are reported once an hour when the service words the failure differently every time', async () => {
    await begin(4);
    let count = 0;
    harness.transport = async (options, send) => {
      if (!options.url.includes(forms[2] ?? '')) return await send(options);
      return { statusCode: 403, headers: {}, body: { error: `Not allowed (request ${++count})` } };
    };
    expect(await reportsIn(HOUR)).toBe(1);
  });

  it('are reported at once when another form joins them', async () => {
    await begin(4);
    breakForms(1);
    expect(await reportsIn(5 * MINUTE)).toBe(1);
    breakForms(2);
    expect(await reportsIn(15 * MINUTE)).toBe(1);
    expect(harness.poller.reported.at(-1)?.message).toContain('2 of 4 forms');
  });

  it('are reported at once when they break again after they were read', async () => {
    await begin(4);
    const stop = breakForms(1);
    await reportsIn(5 * MINUTE);
    stop();
    expect(await reportsIn(20 * MINUTE)).toBe(0);
    breakForms(1);
    expect(await reportsIn(15 * MINUTE)).toBe(1);
  });

  it('are reported for each trigger by itself', async () => {
    await begin(2);
    const other = harness.newPoller();
    await other.activate();
    breakForms(1);
    harness.insert({}, forms[1]);
    await harness.pollNextMinute();
    await other.poll();
    expect([harness.poller.reported.length, other.reported.length]).toEqual([1, 1]);
  });
});

describe('a Look-Back so long that the known submissions fill what a trigger may remember', () => {
  it('is reported once an hour with the advice to shorten it, and delivers each submission once', async () => {
    await begin(1, { options: { lookback: 1_440 }, parameters: { watch: 'one' } });
    const every = (24 * HOUR) / 2_500;
    const past = harness.insertMany(2_500, (index) => ({ createdAt: harness.now - (index + 1) * every }));
    await harness.poller.activate();
    harness.loadDatabase({});
    await harness.activate();
    const ids: string[] = [];
    for (let minute = 0; minute < 120; minute += 5) {
      harness.advance(5 * MINUTE);
      ids.push(...harness.insertMany(8, (index) => ({ createdAt: harness.now - index * 30 * SECOND })));
      expect((await harness.poll()).error).toBeUndefined();
    }
    const { reported } = harness.poller;
    expect(reported).toHaveLength(2);
    expect(`${reported[0]?.message} ${JSON.stringify(reported[0])}`).toMatch(/Look-Back/);
    harness.advance(24 * HOUR);
    await harness.pollUntilEmpty();
    expect(compare(harness.delivered, ids)).toEqual(EACH_ONCE);
    expect(harness.delivered).not.toEqual(expect.arrayContaining([past[0]]));
  });

  it('is not reported while they fit', async () => {
    await begin(1, { options: { lookback: 1_440 }, parameters: { watch: 'one' } });
    harness.insertMany(1_500, (index) => ({ createdAt: harness.now - (index + 1) * 40 * SECOND }));
    harness.loadDatabase({});
    await harness.activate();
    const id = harness.insert();
    await harness.pollFor(HOUR);
    expect(harness.delivered).toEqual([id]);
    expect(harness.poller.reported).toEqual([]);
  });
});
