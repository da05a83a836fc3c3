import { live } from '../support/life';
import { begin, forms, harness } from './triggerHarness';

it.each(['memory', 'scheduler', 'durable'] as const)(
  'with "%s", delivers each submission once through pauses, restarts, new names and other edits, and of another form only new ones',
  async (scheduler) => {
    await begin({ scheduler, count: 2 });
    let [formId = ''] = forms;
    for (const each of forms) harness.insert({}, each);
    await harness.activate();
    await live({
      submit: (count) => harness.insertMany(count, undefined, formId),
      publish: async ({ name = harness.workflow.nodeOf().name, formId: chosen, answerNames }) => {
        if (chosen !== undefined) formId = forms[chosen === 'first' ? 0 : 1] ?? '';
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
