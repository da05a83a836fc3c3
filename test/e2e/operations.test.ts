import type { INodeParameters } from 'n8n-workflow';

import { ID, OPERATIONS } from '../support/operations';
import { textLike } from './support/matchers.ts';
import { type TestInstance, startTimeoutMs, startTestInstance } from './support/instance.ts';
import { actionWorkflow, byId, startNode } from './support/workflows.ts';

describe('the NeetoForm node in a real n8n instance', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance();
  }, startTimeoutMs);
  beforeEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  it.each(OPERATIONS)('$title', async ({ title, method, path, parameters }) => {
    const { client, credential, emulator } = instance;
    const form = emulator.workspace.addForm({ title });
    emulator.workspace.addSubmission(form.id);
    const email = `${title.replaceAll(/\W+/g, '-')}@example.com`;
    const member = emulator.workspace.addMember({ email });
    const existing = { formId: byId(form.id), teamMemberId: byId(member.id), emails: email };
    const used = Object.entries(existing).filter(([name]) => name in parameters);
    const values = { ...parameters, ...Object.fromEntries(used) } as INodeParameters;
    const workflow = await client.createWorkflow(actionWorkflow(credential, values));

    const { status, error, itemsOf } = await client.run(workflow.id, startNode);
    expect({ status, error }).toEqual({ status: 'success', error: undefined });
    expect(itemsOf('NeetoForm').filter(({ json }) => 'error' in json)).toEqual([]);
    expect(itemsOf('NeetoForm').length).toBeGreaterThan(0);
    const id = 'formId' in parameters ? form.id : member.id;
    const requests = emulator.requests.map((request) => `${request.method} ${request.path} → ${request.status}`);
    expect([...new Set(requests)]).toEqual([textLike(RegExp(`^${method} ${path.replace(ID, id)} → 20\\d$`))]);
  });
});
