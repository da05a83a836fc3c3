import { setTimeout as sleep } from 'node:timers/promises';

import type { WorkflowDraft } from '../../n8n-runner/client.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, waitForExecutions } from './support/instance.ts';
import { anyText, objectWith, textLike } from './support/matchers.ts';
import { contactAnswers, createNode, submitForm, triggerWorkflow } from './support/workflows.ts';

describe('the trigger in a real n8n instance', () => {
  let instance: TestInstance;
  let formId: string;
  beforeAll(async () => {
    instance = await startTestInstance();
    formId = instance.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
  }, startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  async function nextPoll(): Promise<void> {
    const requests = instance.emulator.requests.length;
    while (instance.emulator.requests.length === requests) await sleep(500);
    await sleep(1_000);
  }

  it('starts the workflow once for a submission made on the form’s page, and not for earlier ones', async () => {
    const { client, emulator, credential } = instance;
    const workflow = await client.createWorkflow(triggerWorkflow(credential, formId));
    await client.activate(workflow);
    await submitForm(`${emulator.url}/forms/${formId}/attempt`, contactAnswers);

    const [execution] = await waitForExecutions(client, workflow.id, (started) => started.length >= 1);
    await nextPoll();

    expect(await client.listExecutions(workflow.id)).toHaveLength(1);
    expect(execution).toMatchObject({ status: 'success', mode: 'trigger' });
    expect(execution?.itemsOf('Next').map(({ json }) => json)).toEqual([
      {
        id: anyText,
        created_at: textLike(/^\d{4}-\d\d-\d\dT/),
        form_id: formId,
        form_title: 'Contact us',
        answers: {
          'Full name': { first_name: 'Grace', last_name: 'Hopper' },
          'Email address': 'grace.hopper@example.org',
          Phone: null,
          'What is it about?': 'Sales',
          Message: 'First line\nsecond line',
          Campaign: null,
        },
        custom_columns: {},
      },
    ]);
    await client.deactivate(workflow.id);
  }, 300_000);

  it('shows the newest submission as a test event without an activation', async () => {
    const workflow = await instance.client.createWorkflow(triggerWorkflow(instance.credential, formId));
    const { status, itemsOf } = await instance.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm Trigger')).toHaveLength(1);
  });

  it('shows a sample made from the questions as the test event of a form without submissions', async () => {
    const form = instance.emulator.workspace.addForm({ title: 'Empty', questions: [{ label: 'Your name' }] });
    const workflow = await instance.client.createWorkflow(
      triggerWorkflow(instance.credential, form.id, { output: 'row' }),
    );
    const { status, itemsOf } = await instance.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('NeetoForm Trigger').map(({ json }) => Object.keys(json))).toEqual([
      expect.arrayContaining(['id', 'created_at', 'form_id', 'form_title', 'Your name']),
    ]);
  });

  it('downloads the files of a submission for the next node', async () => {
    const { workspace, url } = instance.emulator;
    const form = workspace.addForm({
      title: 'Jobs',
      questions: [{ label: 'Your CV', kind: 'file_upload', slug: 'cv' }],
    });
    const { id } = workspace.addFile({ name: 'cv.json', type: 'application/json', data: Buffer.from('{"years":10}') });
    workspace.addSubmission(form.id, {
      answers: { cv: { files: [{ name: 'cv.json', url: `${url}/files/${id}/cv.json` }] } },
    });
    const draft = triggerWorkflow(instance.credential, form.id, { options: { downloadFiles: true } });
    const readFile = createNode('Next', 'n8n-nodes-base.moveBinaryData', {
      mode: 'binaryToJson',
      setAllData: true,
      sourceKey: 'Your_CV_1',
      options: {},
    });
    const workflow = await instance.client.createWorkflow(withNode(draft, readFile));

    const { status, itemsOf } = await instance.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('Next').map(({ json }) => json)).toEqual([{ years: 10 }]);
  });

  it('does not let a workflow start with a form that does not exist', async () => {
    const workflow = await instance.client.createWorkflow(triggerWorkflow(instance.credential, 'no-such-form'));
    await expect(instance.client.activate(workflow)).rejects.toThrow(/Form not found/);
  });

  it('watches every active form: a new one joins, and a broken one is reported without stopping the others', async () => {
    const { client, emulator, credential } = instance;
    const workflow = await client.createWorkflow(triggerWorkflow(credential, '', { watch: 'active' }));
    await client.activate(workflow);
    emulator.fail({
      when: { path: new RegExp(`${formId}/submissions`), every: 1 },
      with: { status: 404, body: { error: 'Form does not exist.' } },
    });
    const added = emulator.workspace.addForm({ title: 'Added later' });
    const submission = emulator.workspace.addSubmission(added.id);
    // The broken form is read again because it has something new.
    emulator.workspace.addSubmission(formId);

    const executions = await waitForExecutions(client, workflow.id, (started) => started.length >= 2);
    const delivered = executions.find(({ status }) => status === 'success')?.itemsOf('Next');
    expect(delivered?.map(({ json }) => [json['id'], json['form_id']])).toEqual([[submission.id, added.id]]);
    expect(executions.find(({ status }) => status === 'error')?.error?.message).toMatch(
      /^1 of \d+ forms could not be read: /,
    );
    await client.deactivate(workflow.id);
  }, 300_000);

  it('emits a failed poll on its error output once, and delivers the submissions when the form can be read again', async () => {
    const { client, emulator, credential } = instance;
    const draft = triggerWorkflow(credential, formId);
    const failed = createNode('Failed', 'n8n-nodes-base.noOp', {});
    const workflow = await client.createWorkflow({
      ...draft,
      nodes: [
        ...draft.nodes.map((node) =>
          node.name === 'NeetoForm Trigger' ? { ...node, onError: 'continueErrorOutput' as const } : node,
        ),
        failed,
      ],
      connections: {
        'NeetoForm Trigger': {
          main: [[{ node: 'Next', type: 'main', index: 0 }], [{ node: 'Failed', type: 'main', index: 0 }]],
        },
      },
    });
    await client.activate(workflow);
    emulator.fail({ when: { path: /submissions/, every: 1 }, with: { status: 403, body: { error: 'Not allowed' } } });
    const submission = emulator.workspace.addSubmission(formId);

    const [failure] = await waitForExecutions(client, workflow.id, (started) => started.length >= 1);
    expect(failure).toMatchObject({ status: 'success', mode: 'trigger' });
    expect(failure?.itemsOf('Failed').map(({ json }) => json)).toEqual([
      objectWith({ error: textLike(/Not allowed/) }),
    ]);
    expect(failure?.itemsOf('Next')).toEqual([]);
    await nextPoll();
    expect(await client.listExecutions(workflow.id)).toHaveLength(1);

    emulator.reset();
    const [, delivery] = await waitForExecutions(client, workflow.id, (started) => started.length >= 2);
    expect(delivery?.itemsOf('Next').map(({ json }) => json['id'])).toEqual([submission.id]);
    expect(delivery?.itemsOf('Failed')).toEqual([]);
    await client.deactivate(workflow.id);
  }, 400_000);

  it('is offered by the editor with its parameters', async () => {
    const { displayName, properties } = await instance.client.nodeType('n8n-nodes-neetoform.neetoFormTrigger');
    expect(displayName).toBe('NeetoForm Trigger');
    expect(properties.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pollTimes', 'watch', 'formId', 'formIds', 'output', 'options']),
    );
  });
});

/** The workflow with another node instead of the one of the same name. */
function withNode(draft: WorkflowDraft, node: WorkflowDraft['nodes'][number]): WorkflowDraft {
  return { ...draft, nodes: draft.nodes.map((each) => (each.name === node.name ? node : each)) };
}
