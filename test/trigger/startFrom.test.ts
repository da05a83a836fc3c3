import { DAY, HOUR, MINUTE, SECOND, START, substance } from './outcome';
import { begin, forms, harness } from './triggerHarness';

const FROM = START - 5 * HOUR;

/** Start From, with 20 submissions since then in the first form, and 5 in the second. */
async function beginWithHistory(triggerOn: 'one' | 'several'): Promise<void> {
  await begin({ triggerOn, count: 2, options: { startFrom: new Date(FROM).toISOString() } });
  for (let index = 0; index < 20; index++) harness.submit(0, { createdAt: FROM + index * MINUTE });
  for (let index = 0; index < 5; index++) harness.submit(1, { createdAt: FROM + index * MINUTE });
}

it('repeats nothing when the form is changed and changed back, and delivers no history of the other', async () => {
  await beginWithHistory('one');
  const [first = '', second = ''] = forms;
  const history = harness.inserted.slice(0, 20);
  expect((await harness.activate()).ids).toEqual(history);
  await harness.pollFor(5 * MINUTE);
  await harness.republish(second, 'one');
  await harness.pollFor(5 * MINUTE);
  await harness.republish(first, 'one');
  await harness.pollFor(5 * MINUTE);
  expect(harness.delivered).toEqual(history);
  await harness.expectEachOnce([...history, harness.submit(0)]);
});

it('starts a form that is added later with its new submissions', async () => {
  await beginWithHistory('several');
  await harness.activate();
  await harness.pollFor(5 * MINUTE);
  forms.push(harness.addForm());
  const past = [harness.submit(2, { createdAt: FROM + HOUR }), harness.submit(2)];
  harness.advance(SECOND);
  await harness.republish(forms);
  await harness.pollNextMinute();
  harness.submit(2);
  await harness.expectEachOnce(harness.inserted.filter((id) => !past.includes(id)));
});

it('is refused at activation when it lies in the future, with the time it was read as', async () => {
  await begin({ triggerOn: 'allActive', options: { startFrom: '2026-03-01T14:00:00' } });
  const { error, staticData } = await harness.activate();
  expect(`${error?.message} ${JSON.stringify(error)}`).toMatch(/'Start From'.*2026-03-01.14:00/s);
  expect(substance(staticData)).toEqual([]);
});

it.each([FROM, START + DAY])('is not looked at in a running trigger, published again or not (%i)', async (ms) => {
  await begin();
  const past = harness.submit(0, { createdAt: FROM + HOUR });
  await harness.activate();
  const parameters = { ...harness.parameters(), options: { startFrom: new Date(ms).toISOString() } };
  harness.workflow.change({ parameters });
  await harness.pollNextMinute(() => harness.submit(0));
  expect((await harness.activate('update')).error).toBeUndefined();
  harness.submit(0);
  await harness.expectEachOnce(harness.inserted.filter((id) => id !== past));
});
