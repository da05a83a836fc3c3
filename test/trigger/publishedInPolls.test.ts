import type { INode } from 'n8n-workflow';
import { HOUR, MINUTE } from './outcome';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

/** Publishes the workflow again while a poll waits for its first response. */
async function publishDuringPoll(change: Partial<INode>): Promise<void> {
  let publishing: Promise<void> | undefined;
  harness.emulator.onRequest(() => {
    publishing ??= publish(change);
  });
  await harness.poll();
  await publishing;
}

async function publish(change: Partial<INode>): Promise<void> {
  harness.workflow.change(change);
  expect((await harness.activate('update')).error).toBeUndefined();
}

/** A change of the trigger, without which n8n would leave it alone. */
function edit(): Partial<INode> {
  return { parameters: { ...harness.parameters(), options: { addText: true } } };
}

describe.each(['memory', 'scheduler', 'durable'] as const)(
  'with n8n storing as in "%s", each is delivered once',
  (scheduler) => {
    beforeEach(async () => {
      await harness.beginActive({ scheduler });
      await harness.pollNextMinute(() => harness.submit());
      harness.submitMany(2);
      harness.advance(MINUTE);
    });

    it.each<[what: string, change: () => Partial<INode>]>([
      ['unchanged', () => ({})],
      ['renamed', () => ({ name: 'New answers' })],
      ['with another option', edit],
    ])('when the workflow is published again, its trigger %s, while a poll finds submissions', async (_, change) => {
      await publishDuringPoll(change());
      await harness.expectEachOnce();
    });

    it('when it is unpublished and published again while a poll finds submissions', async () => {
      harness.emulator.onRequest(() => harness.workflow.unpublish());
      await harness.poll();
      harness.advance(MINUTE);
      await publish({});
      await harness.expectEachOnce();
    });

    it('when it is published again with the former name, while the first poll since the new name finds submissions', async () => {
      await publish({ name: 'New answers' });
      harness.submitMany(2);
      harness.advance(MINUTE);
      await publishDuringPoll({ name: 'NeetoForm Trigger' });
      await harness.expectEachOnce();
    });

    it('when it is published again while n8n stores what a poll has returned', async () => {
      let publishing: Promise<void> | undefined;
      const beforeStoring = async () => {
        publishing = publish(edit());
        await Promise.resolve();
      };
      await harness.poll({ beforeStoring });
      await publishing;
      await harness.expectEachOnce();
    });
  },
);

it('each of two publications with a wrong form during one poll is refused', async () => {
  await harness.beginActive();
  const publications: Array<ReturnType<typeof harness.activate>> = [];
  harness.emulator.onRequest(() => {
    if (publications.length > 0) return;
    harness.choose('gone', 'one');
    publications.push(harness.activate('update'), harness.activate());
  });
  await harness.poll();
  const outcomes = await Promise.all(publications);
  expect(outcomes.map(({ error }) => error)).toMatchObject([{ httpCode: '404' }, { httpCode: '404' }]);
});

it('a form that started in a poll without items keeps its start when what the next poll found is discarded', async () => {
  await harness.begin({ triggerOn: 'allActive', count: 2 });
  // A form that was created shortly before would count as new.
  harness.advance(HOUR);
  const show = harness.hideFromList(harness.forms.slice(1));
  await harness.activate();
  show();
  await harness.pollNextMinute();
  harness.submit({ form: 1 });
  harness.advance(MINUTE);
  await publishDuringPoll(edit());
  await harness.expectEachOnce();
});
