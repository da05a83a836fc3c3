import { HOUR, MINUTE, SECOND } from './outcome';
import { begin, beginActive, forms, harness } from './triggerHarness';

/** Polls, and does something while the poll waits for its first response. */
async function pollDuring(act: () => unknown): Promise<void> {
  let acting: unknown;
  let isFirst = true;
  harness.emulator.onRequest(() => {
    if (isFirst) acting = act();
    isFirst = false;
  });
  await harness.poll();
  await acting;
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
        await pollDuring(async () => await publish(name));
        await harness.expectEachOnce();
      },
    );

    it('when it is published again with the former name, while the first poll since the new name finds submissions', async () => {
      await publish('New answers');
      harness.insertMany(2);
      harness.advance(MINUTE);
      await pollDuring(async () => await publish());
      await harness.expectEachOnce();
    });

    it.each([0, SECOND, MINUTE])(
      'when it is unpublished while a poll finds submissions, and published after %d ms',
      async (pause) => {
        await pollDuring(() => harness.workflow.unpublish());
        harness.advance(pause);
        await publish();
        await harness.expectEachOnce();
      },
    );

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
  // Forms that were created shortly before count as new.
  harness.advance(HOUR);
  const show = harness.hideFromList(forms.slice(1));
  await harness.activate();
  show();
  await harness.pollNextMinute();
  harness.submit(1);
  harness.advance(MINUTE);
  await pollDuring(async () => await publish());
  await harness.expectEachOnce();
});
