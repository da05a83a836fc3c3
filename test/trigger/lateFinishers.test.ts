import { compare, DAY, EACH_ONCE, HOUR, idsOf, LOOK, MINUTE, SECOND, START } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

const WEEK = 7 * DAY;

/** ms that respondents take from opening a form to sending it: half of them 9 hours or less, one 6 days. */
const timesToFinish = Array.from({ length: 100 }, (_, nth) => 6 * DAY * (((nth * 37) % 100) / 99) ** 4);

it('delivers whoever takes minutes, hours or days to finish, once and within ten minutes and a poll', async () => {
  const everyMs = 5 * MINUTE;
  await harness.beginActive();
  const rows = timesToFinish.map((tookMs, index) => {
    const createdAt = START + MINUTE + Math.floor((index * WEEK) / 100);
    const visibleAt = Math.floor(createdAt + tookMs);
    return { id: harness.submit({ createdAt, visibleAt }), visibleAt, isLate: tookMs > 15 * MINUTE };
  });
  expect(rows.filter(({ isLate }) => isLate).length).toBeGreaterThan(20);
  const deliveredAt = new Map<string, number>();
  for (let missing = rows; missing.length > 0; missing = missing.filter(({ id }) => !deliveredAt.has(id))) {
    // Hours in which nothing appears are left out, but for the last quarter.
    const next = Math.min(...missing.map(({ visibleAt }) => visibleAt));
    harness.advance(Math.max(0, next - harness.now - 15 * MINUTE));
    harness.advance(everyMs);
    for (const id of (await harness.poll()).ids ?? []) deliveredAt.set(id, harness.now);
  }
  expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
  const delays = rows.map(({ id, visibleAt }) => (deliveredAt.get(id) ?? Infinity) - visibleAt);
  expect(Math.max(...delays)).toBeLessThanOrEqual(LOOK + everyMs);
});

it.each([
  ['several', DAY],
  ['allActive', HOUR],
] as const)("finds one that its form's count hides, by polls of %s forms every %i ms", async (triggerOn, everyMs) => {
  await harness.begin({ triggerOn, count: 4 });
  harness.fixCounts(7);
  await harness.activate();
  await harness.pollFor(6 * everyMs, harness.submitToAll, everyMs);
  await harness.pollFor(everyMs, undefined, everyMs);
  expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
});

it.each([-2 * DAY, 2 * DAY])(
  "finds one that its form's count hides within ten minutes, also when n8n's clock was set by %i ms meanwhile",
  async (skew) => {
    await harness.begin({ triggerOn: 'allActive', count: 4 });
    harness.fixCounts(7);
    await harness.activate();
    await harness.pollFor(2 * LOOK);
    harness.time.skew = skew;
    const ids = harness.submitToAll();
    expect(idsOf(await harness.pollFor(LOOK)).toSorted()).toEqual(ids.toSorted());
  },
);

it('delivers one that a look without time for the whole window has not reached, by polls hours apart', async () => {
  await harness.beginActive();
  for (let step = 0; step < 9; step++) {
    const begun = harness.now;
    harness.submitMany(160, (index) => ({ createdAt: begun + SECOND + index * 2 * MINUTE }));
    harness.advance(8 * HOUR);
    await harness.pollUntilEmpty();
  }
  harness.emulator.onRequest(() => harness.advance(3 * SECOND));
  const late = harness.submit({ createdAt: harness.now - 2 * HOUR });
  await harness.pollFor(16 * HOUR, undefined, 4 * HOUR);
  expect(harness.delivered).toContain(late);
  // Then the next look begins at the beginning again.
  const later = harness.submit({ createdAt: harness.now - 20 * HOUR });
  await harness.pollFor(16 * HOUR, undefined, 4 * HOUR);
  expect(harness.delivered).toContain(later);
});

it.each([
  ['is deleted', 0, () => undefined],
  ['is deleted, and another one arrives', 0, () => harness.submit()],
  ['is deleted in a form with more known ones', 30, () => undefined],
])(
  'delivers within ten minutes one that others of its second hide, because one %s between two pages',
  async (_what, known, also) => {
    await harness.beginActive();
    harness.submitMany(known);
    await harness.pollUntilEmpty();
    harness.advance(HOUR);
    await harness.poll();
    const at = harness.now + SECOND;
    const ids = harness.submitMany(101, () => ({ createdAt: at }));
    harness.advance(WEEK + HOUR);
    deleteBeforePage2(ids, also);
    await harness.expectEachOnce();
  },
);

it('delivers one that others of its second hide, though more arrive than the window can hold', async () => {
  await harness.beginActive({ options: { maxSubmissions: 10_000 } });
  harness.advance(HOUR);
  const at = harness.now - 30 * MINUTE;
  const ids = harness.submitMany(101, () => ({ createdAt: at }));
  harness.submitMany(4_500, (nth) => ({ createdAt: at + SECOND + nth * 100 }));
  deleteBeforePage2(ids);
  await harness.expectEachOnce();
});

/** Deletes the first of these submissions when page 1 was read and page 2 is requested. */
function deleteBeforePage2([id = '']: string[], also?: () => unknown): void {
  let isDeleted = false;
  harness.emulator.onRequest(({ query }) => {
    if (isDeleted || query.page !== '2') return;
    isDeleted = true;
    harness.emulator.workspace.deleteSubmission(harness.formId, id);
    also?.();
  });
}

it.each([
  ['one', 120],
  ['one', 250],
  ['allActive', 250],
  ['one', 350],
] as const)(
  'delivers (%s) %i of one time once, and no poll fails, though the service shows them in another order each time',
  async (triggerOn, count) => {
    await harness.beginActive({ triggerOn, count: 1 });
    harness.emulator.quirks.shufflesEqualTimes = true;
    harness.advance(MINUTE);
    const createdAt = harness.now;
    harness.submitMany(count, () => ({ createdAt }));
    await harness.pollFor(4 * HOUR);
    expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
  },
);

it('delivers at the next poll what was created before a second that fills more than a page', async () => {
  await harness.beginActive();
  harness.submitMany(30);
  await harness.pollFor(HOUR);
  harness.submitMany(130, () => ({ createdAt: harness.now - 5 * SECOND }));
  await harness.poll();
  const late = harness.submit({ createdAt: harness.now - 25 * SECOND });
  expect((await harness.pollNextMinute()).ids).toEqual([late]);
});

it('delivers one in a form with few submissions together with the next that is new', async () => {
  await harness.beginActive({ triggerOn: 'several', count: 2 });
  harness.advance(DAY);
  harness.submit();
  await harness.pollUntilEmpty();
  const late = harness.submit({ createdAt: harness.now - HOUR });
  const next = harness.submit();
  expect((await harness.pollNextMinute()).ids).toEqual([late, next]);
});

it('no window delays what is recent, however many polls it takes and however often n8n starts again', async () => {
  await harness.beginActive();
  harness.submitMany(1_000, (index) => ({ createdAt: harness.now + index * SECOND }));
  harness.advance(DAY);
  await harness.pollUntilEmpty();
  harness.emulator.quirks.pageSizeCap = 25;
  harness.emulator.onRequest(() => harness.advance(3 * SECOND));
  for (let day = 0; day < 4; day++) {
    harness.advance(HOUR);
    await harness.restart();
    harness.submit();
    await harness.pollNextMinute();
  }
  expect(compare(harness.delivered, harness.submitted)).toEqual(EACH_ONCE);
});

it('delivers at the next poll what a respondent opened before the last page that a failing look has shown', async () => {
  await harness.beginActive();
  const ids = harness.submitMany(100, (nth) => ({ createdAt: START + 30 * SECOND + nth * 200 }));
  harness.emulator.fail({ when: { path: /submissions/, nth: 2 }, with: { status: 404 } });
  expect([(await harness.pollNextMinute()).ids, (await harness.pollNextMinute()).ids]).toEqual([ids, null]);
  const slower = harness.submit({ createdAt: START + 40 * SECOND, visibleAt: START + 121 * SECOND });
  expect((await harness.pollNextMinute()).ids).toEqual([slower]);
});
