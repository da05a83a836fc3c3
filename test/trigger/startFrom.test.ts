import { DAY, HOUR, MINUTE, START } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

const FROM = START - 5 * HOUR;

it('repeats nothing when the form is changed and changed back, and delivers no history of the other', async () => {
  await harness.begin({ count: 2, options: { startFrom: new Date(FROM).toISOString() } });
  const [first = '', second = ''] = harness.forms;
  const history = harness.submitMany(20, (nth) => ({ createdAt: FROM + nth * MINUTE }));
  harness.submit({ form: 1, createdAt: FROM });
  expect((await harness.activate()).ids).toEqual(history);
  await harness.pollFor(5 * MINUTE);
  await harness.republish(second, 'one');
  await harness.pollFor(5 * MINUTE);
  await harness.republish(first, 'one');
  await harness.pollFor(5 * MINUTE);
  expect(harness.delivered).toEqual(history);
  await harness.expectEachOnce([...history, harness.submit({ form: 0 })]);
});

it.each([FROM, START + DAY])('is not looked at in a running trigger, published again or not (%i)', async (ms) => {
  await harness.begin();
  const past = harness.submit({ form: 0, createdAt: FROM + HOUR });
  await harness.activate();
  const parameters = { ...harness.parameters(), options: { startFrom: new Date(ms).toISOString() } };
  harness.workflow.change({ parameters });
  await harness.pollNextMinute(() => harness.submit({ form: 0 }));
  expect((await harness.activate('update')).error).toBeUndefined();
  harness.submit({ form: 0 });
  await harness.expectEachOnce(harness.submitted.filter((id) => id !== past));
});
