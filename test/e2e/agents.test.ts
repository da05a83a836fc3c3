import { randomUUID } from 'node:crypto';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import type { Execution } from '../../n8n-runner/client.ts';
import { exampleTools } from './support/examples.ts';
import { useTestInstance } from './support/instance.ts';
import { anyText } from './support/matchers.ts';
import { type Call, type ScriptedModel, modelNode, startModel } from './support/model.ts';

const instance = useTestInstance();
const { imported } = exampleTools(instance);

/** The example "NeetoForm for other agents", with an MCP client. */
describe('the MCP server', () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const token = 'a token of the server';
  let url: URL;
  beforeAll(async () => {
    const { client: n8n, n8n: process } = instance();
    const httpBearerAuth = await n8n.createCredential({ name: 'MCP', type: 'httpBearerAuth', data: { token } });
    const draft = imported('mcp-server.json');
    const nodes = draft.nodes.map((node) =>
      // The editor gives an imported trigger this ID, and with it the path that the node names.
      node.name === 'NeetoForm' ? { ...node, webhookId: 'neetoform', credentials: { httpBearerAuth } } : node,
    );
    await n8n.activate(await n8n.createWorkflow({ ...draft, nodes }));
    url = new URL(`${process.url}/mcp/neetoform`);
    await client.connect(transport(token));
  });
  afterAll(async () => await client.close());

  function transport(bearer: string): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization: `Bearer ${bearer}` } } });
  }

  /** Calls a tool, and returns what an agent reads. */
  async function call(name: string, args: Record<string, unknown>): Promise<string> {
    const { content } = await client.callTool({ name, arguments: args });
    return JSON.stringify(content).replaceAll('\\', '');
  }

  it('refuses a client without the token', async () => {
    const stranger = new Client({ name: 'stranger', version: '1.0.0' });
    await expect(stranger.connect(transport('guessed'))).rejects.toThrow('Authorization data is wrong');
  });

  it('lists six tools that say what they need', async () => {
    const { tools } = await client.listTools();
    const parameters = tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {}).sort()]);
    expect(Object.fromEntries(parameters)).toEqual({
      Count_Submissions: ['form', 'from', 'until'],
      Find_Forms: ['words'],
      Find_Team_Members: ['email'],
      Read_Questions: ['form'],
      Read_Submissions: ['form', 'from', 'limit', 'until', 'words'],
      Read_Team_Member: ['member'],
    });
    for (const { description } of tools) expect(description).toMatch(/^(Finds|Returns) /);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['Find_Forms', { words: 'contact' }, /"title":"Contact us"/],
    ['Read_Questions', { form: 'contact US' }, /"slug":"email-address"/],
    ['Count_Submissions', { form: 'Contact us', from: '', until: '' }, /"count":35/],
    [
      'Read_Submissions',
      { form: 'Contact us', limit: 1, from: '', until: '', words: 'tanaka' },
      /"Full name":"Yui Tanaka"/,
    ],
    ['Find_Team_Members', { email: 'eve.martin@example.com' }, /"first_name":"Eve"/],
    ['Read_Team_Member', { member: 'sana.iyer@example.com' }, /"first_name":"Sana"/],
  ])('%s %j reads without a change, and shows no IP address', async (tool, args, expected) => {
    const { requests } = instance().emulator;
    const text = await call(tool, args);
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/ip_address|203\.0\.113\./);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('says what to correct after a mistake, and understands the correction', async () => {
    const args = { form: 'Contact us', from: 'last week', until: '' };
    expect(await call('Count_Submissions', args)).toContain("'Submitted After' is not a date: last week");
    expect(await call('Count_Submissions', { ...args, from: '2020-01-01' })).toContain('"count":35');
    expect(await call('Read_Questions', { form: 'Contact me' })).toContain('Contact us');
  });
});

/** The example "Ask about submissions", with a model that follows a script. */
describe('an AI agent with the node as its tools', () => {
  let model: ScriptedModel;
  beforeAll(async () => (model = await startModel()));
  afterAll(async () => await model.close());

  async function ask(...calls: Call[]): Promise<Execution> {
    const { client } = instance();
    model.follow(calls);
    const example = imported('ask-about-submissions.json');
    const draft = {
      ...example,
      nodes: [...example.nodes, modelNode(await client.createCredential(model.credential))],
      connections: {
        ...example.connections,
        Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel' as const, index: 0 }]] },
      },
      // The agent remembers a session.
      pinData: { Question: [{ json: { chatInput: 'Who wrote to us?', sessionId: randomUUID() } }] },
    };
    const { id } = await client.createWorkflow(draft);
    return await client.run(id, 'Question', 100_000);
  }

  it('finds a form, counts and reads its submissions with four tools, corrects a wrong call by its message, and answers', async () => {
    const contact = instance().formId('Contact us');
    const read = { form: contact, limit: 3, until: '' };
    const execution = await ask(
      { tool: 'Find_Forms', with: { words: 'CONTACT us' } },
      { tool: 'Count_Submissions', with: { form: contact, from: '', until: '' } },
      { tool: 'Read_Submissions', with: { ...read, from: 'last week' } },
      { tool: 'Read_Submissions', with: { ...read, from: '2020-01-01' } },
    );
    expect(execution).toMatchObject({ status: 'success' });
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

    const [forms = '', count = '', refused = '', submissions = ''] = model.results();
    expect(forms).toContain(contact);
    expect(JSON.parse(count)).toEqual([{ form_id: contact, count: 35 }]);
    expect(JSON.parse(refused)).toEqual([{ error: "'Submitted After' is not a date: last week" }]);
    expect(JSON.parse(submissions)).toMatchObject(Array(3).fill({ form_id: contact }));
    expect(submissions.match(/"created_at"/g)).toHaveLength(3);
    expect(submissions).not.toMatch(/user_agent|ip_address/);
    expect(Buffer.byteLength(submissions)).toBeLessThan(4_000);
  });
});
