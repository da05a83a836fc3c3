import { HOUR, MINUTE } from './outcome';
import { begin, beginActive, forms, harness } from './triggerHarness';

/** Publishes the workflow again while a poll waits for its first response. */
async function publishDuringPoll(name?: string): Promise<void> {
  let publishing: Promise<void> | undefined;
  harness.emulator.onRequest(() => {
    publishing ??= publish(name);
  });
  await harness.poll();
  await publishing;
}

async function publish(name = 'NeetoForm Trigger'): Promise<void> {
  harness.workflow.change({ name });
  expect((await harness.activate('update')).error).toBeUndefined();
}

describe.each(['memory', 'scheduler', 'durable'] as const)(
  'with n8n storing as in "%s", each is delivered once',
  (scheduler) => {
    beforeEach(async () => {
      await beginActive({ scheduler });
      await harness.pollNextMinute(() => harness.insert());
      harness.insertMany(2);
      harness.advance(MINUTE);
    });

    it.each(['NeetoForm Trigger', 'New answers'])(
      'when the workflow is published again, its trigger being named %s, while a poll finds submissions',
      async (name) => {
        await publishDuringPoll(name);
        await harness.expectEachOnce();
      },
    );

    it('when it is published again with the former name, while the first poll since the new name finds submissions', async () => {
      await publish('New answers');
      harness.insertMany(2);
      harness.advance(MINUTE);
      await publishDuringPoll();
      await harness.expectEachOnce();
    });

    it('when it is published again while n8n stores what a poll has returned', async () => {
      let publishing: Promise<void> | undefined;
      const beforeStoring = async () => {
        publishing = publish();
        await Promise.resolve();
      };
      await harness.poll({ beforeStoring });
      await publishing;
      await harness.expectEachOnce();
    });
  },
);

it('a form that started in a poll without items keeps its start when what the next poll found is discarded', async () => {
  await begin({ triggerOn: 'allActive', count: 2 });
  // A form that was created shortly before would count as new.
  harness.advance(HOUR);
  const show = harness.hideFromList(forms.slice(1));
  await harness.activate();
  show();
  await harness.pollNextMinute();
  harness.submit(1);
  harness.advance(MINUTE);
  await publishDuringPoll();
  await harness.expectEachOnce();
});
