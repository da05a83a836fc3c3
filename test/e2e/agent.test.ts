import { randomUUID } from 'node:crypto';

import { sampleWorkspace } from '../../emulator/index.ts';
import type { Credential, Execution } from '../../n8n-runner/client.ts';
import { type TestInstance, startTimeoutMs, startTestInstance } from './support/instance.ts';
import { anyText } from './support/matchers.ts';
import { type ScriptedModel, type Call, modelNode, startModel } from './support/model.ts';
import { fillInExample, readExample } from './support/workflows.ts';

/** The example "Ask about submissions", with a model that follows a script. */
describe('an AI agent with the node as its tools', () => {
  let instance: TestInstance;
  let model: ScriptedModel;
  let modelCredential: Credential;
  let contact: string;
  beforeAll(async () => {
    instance = await startTestInstance({ seed: sampleWorkspace(Date.parse('2026-02-09T05:20:59.464Z')) });
    contact = instance.formId('Contact us');
    model = await startModel();
    modelCredential = await instance.client.createCredential(model.credential);
  }, startTimeoutMs);
  afterAll(async () => {
    await model.close();
    await instance.stop();
  });

  async function ask(...calls: Call[]): Promise<Execution> {
    model.follow(calls);
    const example = fillInExample(readExample('ask-about-submissions.json'), instance.credential);
    const draft = {
      ...example,
      nodes: [...example.nodes, modelNode(modelCredential)],
      connections: {
        ...example.connections,
        Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel' as const, index: 0 }]] },
      },
      // The agent remembers a session.
      pinData: { Question: [{ json: { chatInput: 'Who wrote to us?', sessionId: randomUUID() } }] },
    };
    const { id } = await instance.client.createWorkflow(draft);
    const execution = await instance.client.run(id, 'Question', 100_000);
    expect(execution).toMatchObject({ status: 'success' });
    return execution;
  }

  it('finds a form, counts and reads its submissions with four tools, without details of devices, and answers', async () => {
    const execution = await ask(
      { tool: 'Find_Forms', with: { words: 'CONTACT us' } },
      { tool: 'Count_Submissions', with: { form: contact, from: '', until: '' } },
      { tool: 'Read_Submissions', with: { form: contact, limit: 3, from: '', until: '' } },
    );
    expect(execution.itemsOf('Agent').map(({ json }) => json)).toMatchObject([{ output: 'Done.' }]);
    const typesOf = (properties: Record<string, { type: string }>) =>
      Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type]));
    const tools = (model.requests[0]?.tools ?? []).map((tool) => tool.function);
    expect(Object.fromEntries(tools.map(({ name, parameters }) => [name, typesOf(parameters.properties)]))).toEqual({
      Count_Submissions: { form: 'string', from: 'string', until: 'string' },
      Find_Forms: { words: 'string' },
      Read_Questions: { form: 'string' },
      Read_Submissions: { form: 'string', from: 'string', limit: 'number', until: 'string' },
    });
    for (const { description, parameters } of tools) {
      expect(description).toMatch(/^(Finds|Returns) .*form/);
      for (const each of Object.values(parameters.properties)) expect(each.description).toEqual(anyText);
    }

    const [forms = '', count = '', submissions = ''] = model.results();
    expect(forms).toContain(contact);
    expect(JSON.parse(count)).toEqual([{ form_id: contact, count: 35 }]);
    expect(submissions.match(/"created_at"/g)).toHaveLength(3);
    expect(submissions).not.toMatch(/user_agent|ip_address/);
    expect(Buffer.byteLength(submissions)).toBeLessThan(4_000);
  });

  it('gets only the message after a wrong call, and can correct the call', async () => {
    const correct = { form: contact, limit: 2, from: '2026-02-08', until: '' };
    await ask(
      { tool: 'Read_Submissions', with: { ...correct, from: 'last week' } },
      { tool: 'Read_Submissions', with: correct },
    );
    const [refused, corrected] = model.results().map((text) => JSON.parse(text) as unknown);
    expect(refused).toEqual([{ error: "'Submitted After' is not a date: last week" }]);
    expect(corrected).toMatchObject([{ form_id: contact }, { form_id: contact }]);
  });
});
