import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../../n8n-runner/execution.ts';
import { contactAnswers, fillIn } from './support/fillIn.ts';
import { anyText, textLike } from './support/like.ts';
import { type WholeN8n, startTimeoutMs, startWholeN8n } from './support/wholeN8n.ts';
import { triggerWorkflow } from './support/workflows.ts';

describe('the trigger in a whole n8n', () => {
  let whole: WholeN8n;
  let formId: string;
  beforeAll(async () => {
    whole = await startWholeN8n();
    formId = whole.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
  }, startTimeoutMs);
  afterEach(() => whole.emulator.reset());
  afterAll(async () => await whole.stop());

  async function executionsOf(workflowId: string, atLeast: number): Promise<Execution[]> {
    const deadline = Date.now() + 150_000;
    for (;;) {
      const found = await whole.client.listExecutions(workflowId);
      if (found.length >= atLeast)
        return await Promise.all(found.map(async ({ id }) => await whole.client.waitForExecution(id)));
      if (Date.now() > deadline) throw new Error(`${found.length} executions instead of ${atLeast}`);
      await sleep(500);
    }
  }

  it('starts the workflow once, with its answers, for a submission made on the form’s page, and for none of the past', async () => {
    const workflow = await whole.client.createWorkflow(triggerWorkflow(whole.credential, formId));
    await whole.client.activate(workflow);
    await fillIn(`${whole.emulator.url}/forms/${formId}/attempt`, contactAnswers);

    const executions = await executionsOf(workflow.id, 1);
    const polls = whole.emulator.requests.length;
    while (whole.emulator.requests.length === polls) await sleep(500);
    await sleep(1_000);

    expect(await whole.client.listExecutions(workflow.id)).toHaveLength(1);
    expect(executions[0]).toMatchObject({ status: 'success', mode: 'trigger' });
    expect(executions[0]?.itemsOf('Next').map(({ json }) => json)).toEqual([
      {
        id: anyText,
        created_at: textLike(/^\d{4}-\d\d-\d\dT/),
        form_id: formId,
        answers: {
          'Full name': { first_name: 'Grace', last_name: 'Hopper' },
          'Email address': 'grace.hopper@example.org',
          'What is it about?': 'Sales',
          Message: 'First line\nsecond line',
        },
        custom_columns: {},
      },
    ]);
    await whole.client.deactivate(workflow.id);
  }, 300_000);

  it('shows the newest submission when it is tried out in the editor, without an activation', async () => {
    const workflow = await whole.client.createWorkflow(triggerWorkflow(whole.credential, formId));
    const { status, itemsOf } = await whole.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm Trigger')).toHaveLength(1);
  });

  it('downloads the files of a submission for the next node', async () => {
    const { workspace, url } = whole.emulator;
    const form = workspace.addForm({
      title: 'Jobs',
      questions: [{ label: 'Your CV', kind: 'file_upload', slug: 'cv' }],
    });
    const { id } = workspace.addFile({ name: 'cv.json', type: 'application/json', data: Buffer.from('{"years":10}') });
    workspace.addSubmission(form.id, {
      answers: { cv: { files: [{ name: 'cv.json', url: `${url}/files/${id}/cv.json` }] } },
    });
    const draft = triggerWorkflow(whole.credential, form.id, { options: { downloadFiles: true } });
    const nodes = draft.nodes.map((node) =>
      node.name === 'Next'
        ? {
            ...node,
            type: 'n8n-nodes-base.moveBinaryData',
            parameters: { mode: 'binaryToJson', setAllData: true, sourceKey: 'Your_CV_1', options: {} },
          }
        : node,
    );
    const workflow = await whole.client.createWorkflow({ ...draft, nodes });

    const { status, itemsOf } = await whole.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('Next').map(({ json }) => json)).toEqual([{ years: 10 }]);
  });

  it('does not let a workflow start with a form that is not there', async () => {
    const workflow = await whole.client.createWorkflow(triggerWorkflow(whole.credential, 'no-such-form'));
    await expect(whole.client.activate(workflow)).rejects.toThrow(/Form does not exist/);
  });

  it('watches every active form: a new one joins, and one that cannot be read is told without stopping the others', async () => {
    const workflow = await whole.client.createWorkflow(triggerWorkflow(whole.credential, '', { watch: 'active' }));
    await whole.client.activate(workflow);
    const { workspace } = whole.emulator;
    whole.emulator.fail({
      when: { path: new RegExp(`${formId}/submissions`), every: 1 },
      with: { status: 404, body: { error: 'Form does not exist.' } },
    });
    const added = workspace.addForm({ title: 'Added later' });
    const submission = workspace.addSubmission(added.id);

    const executions = await executionsOf(workflow.id, 2);
    expect(
      executions
        .find(({ status }) => status === 'success')
        ?.itemsOf('Next')
        .map(({ json }) => [json.id, json.form_id]),
    ).toEqual([[submission.id, added.id]]);
    expect(executions.find(({ status }) => status === 'error')?.error?.message).toMatch(
      new RegExp(`^1 of \\d+ forms could not be read: ${formId} \\(Form does not exist: 'Form' is ${formId}\\)$`),
    );
    await whole.client.deactivate(workflow.id);
  }, 300_000);

  it('is offered by the editor with its parameters', async () => {
    const { displayName, properties } = await whole.client.nodeType('n8n-nodes-neetoform.neetoFormTrigger');
    expect(displayName).toBe('NeetoForm Trigger');
    expect(properties.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pollTimes', 'watch', 'formId', 'formIds', 'output', 'options']),
    );
  });
});
