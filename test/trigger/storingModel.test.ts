import { live } from '../support/life';
import { useTrigger } from './triggerHarness';

const harness = useTrigger();

it.each(['memory', 'scheduler', 'durable'] as const)(
  'with "%s", delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones',
  async (scheduler) => {
    await harness.begin({ scheduler, count: 2 });
    let [formId = ''] = harness.forms;
    harness.submitToAll();
    await harness.activate();
    await live({
      submit: (count) => harness.submitMany(count, () => ({ form: formId })),
      publish: async ({ name = harness.workflow.nodeOf().name, formId: chosen, answerNames }) => {
        if (chosen !== undefined) formId = harness.forms[chosen === 'first' ? 0 : 1] ?? '';
        const parameters = { ...harness.parameters(formId), ...(answerNames && { options: { answerNames } }) };
        harness.workflow.change({ name, parameters });
        expect((await harness.activate('update')).error).toBeUndefined();
      },
      unpublish: () => harness.workflow.unpublish(),
      restart: async () => await harness.restart(),
      deliver: async () => {
        await harness.pollUntilEmpty();
        await harness.pollNextMinute();
        return [...harness.delivered];
      },
    });
  },
);
