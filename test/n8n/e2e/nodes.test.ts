import type { INodeParameters } from 'n8n-workflow';

import { START } from '../../../n8n-runner/workflow.ts';
import { ID, OPERATIONS_AND_VERSIONS } from '../../support/operations';
import { credentialFor, useTestInstance, waitForExecutions } from './support/instance.ts';
import { textLike } from './support/matchers.ts';
import { actionWorkflow, byId, triggerWorkflow } from './support/workflows.ts';

describe('in a real n8n instance', () => {
  const instance = useTestInstance();

  it("the credential's test succeeds, or says whether the key or the subdomain is wrong", async () => {
    const { client, credential, emulator } = instance();
    const test = async (changes = {}) => await client.testCredential(credential, credentialFor(emulator, changes));
    expect(await test()).toEqual({ status: 'OK', message: 'Connection successful!' });
    expect(await test({ apiKey: 'wrong' })).toMatchObject({ status: 'Error', message: textLike(/API key/) });
    emulator.fail({ with: { status: 404, body: '<h1>Not found</h1>' } });
    expect(await test()).toMatchObject({ status: 'Error', message: textLike(/No NeetoForm workspace.*'Subdomain'/) });
  });

  it.each(OPERATIONS_AND_VERSIONS)('the node runs $title', async ({ title, method, path, parameters }) => {
    const { client, credential, emulator } = instance();
    const form = emulator.workspace.addForm({ title });
    emulator.workspace.addSubmission(form.id);
    const email = `${title.replaceAll(/\W+/g, '-')}@example.com`;
    const member = emulator.workspace.addMember({ email });
    const existing = { formId: byId(form.id), teamMemberId: byId(member.id), emails: email };
    const used = Object.entries(existing).filter(([name]) => name in parameters);
    const values = { ...parameters, ...Object.fromEntries(used) } as INodeParameters;
    const workflow = await client.createWorkflow(actionWorkflow(credential, values));

    const { status, error, itemsOf } = await client.run(workflow.id, START);
    expect({ status, error }).toEqual({ status: 'success', error: undefined });
    expect(itemsOf('NeetoForm').filter(({ json }) => 'error' in json)).toEqual([]);
    expect(itemsOf('NeetoForm').length).toBeGreaterThan(0);
    const id = 'formId' in parameters ? form.id : member.id;
    const requests = emulator.requests.map((request) => `${request.method} ${request.path} → ${request.status}`);
    expect([...new Set(requests)]).toEqual([textLike(RegExp(`^${method} ${path.replace(ID, id)} → 20\\d$`))]);
  });

  it('the trigger watches every active form: a new one joins, and a broken one is reported without stopping the others', async () => {
    const { client, emulator, credential } = instance();
    const broken = instance().formId('Contact us');
    const workflow = await instance().activate(triggerWorkflow(credential, { triggerOn: 'allActive' }));
    emulator.fail({
      when: { path: new RegExp(`${broken}/submissions`), times: Infinity },
      with: { status: 404, body: { error: 'Form does not exist.' } },
    });
    const added = emulator.workspace.addForm({ title: 'Added later' });
    const submission = emulator.workspace.addSubmission(added.id);
    // The broken form is read again because it has something new.
    emulator.workspace.addSubmission(broken);

    const executions = await waitForExecutions(client, workflow.id, (started) => started.length >= 2);
    const delivered = executions.find(({ status }) => status === 'success')?.itemsOf('Next');
    expect(delivered?.map(({ json }) => [json['id'], json['form_id']])).toEqual([[submission.id, added.id]]);
    const reported = executions.find(({ status }) => status === 'error')?.error?.message;
    expect(reported).toMatch(/^1 of \d+ forms could not be read: /);
  }, 300_000);
});
