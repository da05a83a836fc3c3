import { TRIGGER, chain, createNode } from '../../../n8n-runner/workflow.ts';
import { describeChecks } from '../versions/checks.ts';
import { textLike, until, useTestInstance, waitForExecutions } from './support/instance.ts';
import { byId, triggerWorkflow } from './support/workflows.ts';

describe('in a real n8n instance', () => {
  const instance = useTestInstance();
  describeChecks(instance);

  it('a failed poll is a failed execution and starts the error workflow, and a later poll delivers', async () => {
    const { activate, client, credential, emulator, formId } = instance();
    const { id: errorWorkflow } = await activate(chain([createNode('Failed', 'n8n-nodes-base.errorTrigger')]));
    const draft = triggerWorkflow(credential, { formId: byId(formId('Contact us')) });
    const { id } = await activate({ ...draft, settings: { errorWorkflow } });
    await until('the first poll', () => emulator.requests.some(({ path }) => path.endsWith('/submissions')));
    emulator.fail({ when: { path: /submissions/ }, with: { status: 403, body: { error: 'Not allowed' } } });
    const submission = emulator.workspace.addSubmission(formId('Contact us'));

    const [failed, delivering] = await waitForExecutions(client, id, ({ length }) => length > 1);
    expect(failed).toMatchObject({ status: 'error', mode: 'trigger', error: { message: textLike(/Not allowed/) } });
    expect(delivering?.itemsOf(TRIGGER)).toMatchObject([{ json: { id: submission.id } }]);
    const [alert] = await waitForExecutions(client, errorWorkflow, ({ length }) => length > 0);
    const trigger = { error: { message: textLike(/Not allowed/) } };
    expect(alert?.itemsOf('Failed')).toMatchObject([{ json: { workflow: { id }, trigger } }]);
  });
});
