import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { exampleTools } from './support/examples.ts';
import { textLike, useTestInstance } from './support/instance.ts';

/** The example "NeetoForm for other agents". The tools of "Ask about submissions" are among its tools. */
describe('the MCP server', () => {
  const instance = useTestInstance();
  const { imported } = exampleTools(instance);
  const client = new Client({ name: 'test', version: '1.0.0' });
  beforeAll(async () => {
    const token = 'a token of the server';
    const { client: n8n, n8n: process } = instance();
    const httpBearerAuth = await n8n.createCredential({ name: 'MCP', type: 'httpBearerAuth', data: { token } });
    // The editor gives an imported trigger such an ID, and with it the path that the node names.
    const NeetoForm = { webhookId: 'neetoform', credentials: { httpBearerAuth } };
    await n8n.activate(await n8n.createWorkflow(imported('mcp-server.json', { NeetoForm })));
    const url = new URL(`${process.url}/mcp/neetoform`);
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  });
  afterAll(async () => await client.close());

  /** Calls a tool, and returns what an agent reads. */
  async function call(name: string, args: Record<string, unknown>): Promise<string> {
    const { content } = await client.callTool({ name, arguments: args });
    return JSON.stringify(content).replaceAll('\\', '');
  }

  it('lists six tools that say what they need', async () => {
    const { tools } = await client.listTools();
    const schemas = tools.map(({ name, inputSchema }) => [name, inputSchema.properties]);
    const described = (type: string): unknown => expect.objectContaining({ type, description: textLike(/\w/) });
    const [text, number] = [described('string'), described('number')];
    expect(Object.fromEntries(schemas)).toEqual({
      Count_Submissions: { form: text, from: text, until: text },
      Find_Forms: { words: text },
      Find_Team_Members: { email: text },
      Read_Questions: { form: text },
      Read_Submissions: { form: text, from: text, limit: number, until: text, words: text },
      Read_Team_Member: { member: text },
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
