import { setTimeout as sleep } from 'node:timers/promises';

import { chain, createNode } from '../../n8n-runner/workflow.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, until, waitForExecutions } from './support/instance.ts';
import { anyText, textLike } from './support/matchers.ts';
import { contactAnswers, submitForm, triggerWorkflow } from './support/workflows.ts';

describe('the trigger in a real n8n instance', () => {
  let instance: TestInstance;
  let formId: string;
  beforeAll(async () => {
    instance = await startTestInstance();
    formId = instance.formId('Contact us');
  }, startTimeoutMs);
  afterEach(async () => await instance.reset());
  afterAll(async () => await instance.stop());

  it('starts the workflow once for a submission made on the form’s page, and not for earlier ones', async () => {
    const { client, emulator, credential } = instance;
    const workflow = await instance.activate(triggerWorkflow(credential, formId));
    await submitForm(`${emulator.url}/forms/${formId}/attempt`, contactAnswers);

    const [execution] = await waitForExecutions(client, workflow.id, (started) => started.length >= 1);
    const requests = emulator.requests.length;
    await until('the next poll', () => emulator.requests.length > requests);
    await sleep(1_000);

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
  }, 300_000);

  it('downloads the files of a submission for the next node', async () => {
    const { workspace, url } = instance.emulator;
    const form = workspace.addForm({
      title: 'Jobs',
      questions: [{ label: 'Your CV', kind: 'file_upload', slug: 'cv' }],
    });
    const { id } = workspace.addFile({ name: 'cv.json', type: 'application/json', data: Buffer.from('{"years":10}') });
    const files = [{ name: 'cv.json', url: `${url}/files/${id}/cv.json` }];
    workspace.addSubmission(form.id, { answers: { cv: { files } } });
    const { nodes } = triggerWorkflow(instance.credential, form.id, { options: { downloadFiles: true } });
    const readFile = createNode('Read', 'n8n-nodes-base.moveBinaryData', { sourceKey: 'Your_CV_1', options: {} });
    const workflow = await instance.client.createWorkflow(chain([...nodes, readFile]));

    const { status, itemsOf } = await instance.client.run(workflow.id, 'NeetoForm Trigger');
    expect(status).toBe('success');
    expect(itemsOf('Read').map(({ json }) => json)).toEqual([{ years: 10 }]);
  });

  it('does not let a workflow start with a form that does not exist', async () => {
    const draft = triggerWorkflow(instance.credential, 'no-such-form');
    await expect(instance.activate(draft)).rejects.toThrow(/Form not found/);
  });

  it('watches every active form: a new one joins, and a broken one is reported without stopping the others', async () => {
    const { client, emulator, credential } = instance;
    const workflow = await instance.activate(triggerWorkflow(credential, '', { watch: 'active' }));
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
    const reported = executions.find(({ status }) => status === 'error')?.error?.message;
    expect(reported).toMatch(/^1 of \d+ forms could not be read: /);
  }, 300_000);
});
