import type { IConnections, IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { parse } from 'flatted';
import { z } from 'zod';

import { OPERATIONS } from '../support/operations';
import { sampleWorkspace } from '../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../n8n-runner/client.ts';
import { Session } from '../../n8n-runner/session.ts';
import { anyText, objectWith } from './support/matchers.ts';
import { type ScriptedModel, type Turn, modelNode, startModel } from './support/model.ts';
import { type TestInstance, startTimeoutMs, startTestInstance } from './support/instance.ts';

const newest = Date.parse('2026-02-09T05:20:59.464Z');

/** What a model chooses, in the words of n8n's `$fromAI`. */
function chosen(key: string, type: 'string' | 'number' | 'boolean' = 'string'): string {
  return `={{ $fromAI('${key}', 'The ${key}', '${type}') }}`;
}

const form = { __rl: true, mode: 'url', value: chosen('form') };
const readSubmissions: INodeParameters = {
  resource: 'submission',
  operation: 'getAll',
  formId: form,
  limit: chosen('limit', 'number'),
  filters: { submittedAfter: chosen('from'), submittedBefore: chosen('until') },
  options: { order: 'desc' },
};

/** What an agent learns from a call of a tool. */
interface Result {
  status: string;
  /** The text that the tool gave. */
  text: string;
  problem: string | undefined;
}

describe('the node as a tool of an AI agent', () => {
  let instance: TestInstance;
  let session: Session;
  let contact: string;
  beforeAll(async () => {
    instance = await startTestInstance(sampleWorkspace(newest));
    session = new Session(instance.n8n.url);
    await session.request('POST', '/login', { emailOrLdapLoginId: 'owner@example.com', password: 'Only-4-tests' });
    contact = instance.emulator.workspace.forms.find(({ title }) => title === 'Contact us')?.id ?? '';
  }, startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  /** An agent with one tool, without a model unless one is given. */
  function agentWith(parameters: INodeParameters, model?: Credential): WorkflowDraft {
    const to = (type: 'main' | 'ai_tool' | 'ai_languageModel'): IConnections[string] => ({
      [type]: [[{ node: 'Agent', type, index: 0 }]],
    });
    const tool = node('Tool', 'n8n-nodes-neetoform.neetoFormTool', 1, parameters);
    return {
      name: 'Agent',
      nodes: [
        node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
        node('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, {
          promptType: 'define',
          text: 'Do as the script says.',
          options: {},
        }),
        { ...tool, credentials: { neetoFormApi: { id: instance.credential.id, name: instance.credential.name } } },
        ...(model ? [modelNode(model)] : []),
      ],
      connections: { Start: to('main'), Tool: to('ai_tool'), ...(model && { Model: to('ai_languageModel') }) },
      settings: { executionOrder: 'v1' },
    };
  }

  /** Calls the tool as an agent would, without one: what the editor does to try out a tool. */
  async function call(parameters: INodeParameters, args: object): Promise<Result> {
    const { id } = await instance.client.createWorkflow(agentWith(parameters));
    const started = await session.request('POST', `/workflows/${id}/run`, {
      destinationNode: { nodeName: 'Tool', mode: 'inclusive' },
      agentRequest: { query: { Tool: args }, tool: { name: 'Tool' } },
    });
    const { executionId } = z.object({ executionId: z.string() }).parse(started);
    for (;;) {
      const { status, data } = z
        .object({ status: z.string(), data: z.string() })
        .parse(await session.request('GET', `/executions/${executionId}`));
      if (status !== 'new' && status !== 'running') return { status, ...readResult(data) };
    }
  }

  it.each([
    ['its ID', (id: string) => id],
    ['its address', (id: string) => `https://acme.neetoform.com/${id}`],
    ['the address of a page of it', (id: string) => `https://acme.neetoform.com/forms/${id}/submissions?page=2`],
  ])('takes a form by %s', async (_what, given) => {
    const { status, text } = await call({ resource: 'form', operation: 'get', formId: form }, { form: given(contact) });
    expect(status).toBe('success');
    expect(JSON.parse(text)).toEqual([objectWith({ id: contact, title: 'Contact us' })]);
  });

  it('finds a form by words of its title', async () => {
    const { text } = await call(
      { resource: 'form', operation: 'getAll', filters: { title: chosen('words') } },
      { words: 'US contact' },
    );
    expect(JSON.parse(text)).toEqual([objectWith({ id: contact })]);
  });

  it.each([
    ['a date alone', '2026-02-07', '2026-02-08'],
    ['a date and time', '2026-02-07T00:00:00Z', '2026-02-08T00:00:00+00:00'],
  ])('takes a period as text: %s', async (_what, from, until) => {
    const { text } = await call(readSubmissions, { form: contact, limit: 50, from, until });
    const rows = z.array(z.object({ created_at: z.string() })).parse(JSON.parse(text));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ created_at: at }) => !at.startsWith('2026-02-07'))).toEqual([]);
  });

  it('takes an empty period as none', async () => {
    const { text } = await call(readSubmissions, { form: contact, limit: 50, from: '', until: '' });
    expect(JSON.parse(text)).toHaveLength(35);
  });

  it('gives what fits a model: as many as the limit says, from one page, and nothing of the respondent’s device', async () => {
    const { text } = await call(readSubmissions, { form: contact, limit: 5, from: '', until: '' });
    expect(JSON.parse(text)).toHaveLength(5);
    expect(instance.emulator.requests.filter(({ path }) => path.endsWith('/submissions'))).toHaveLength(1);
    expect(text).not.toMatch(/user_agent|ip_address|browser/i);
    expect(Buffer.byteLength(text)).toBeLessThan(5 * 600);
  });

  it('gives 50 when the limit is left alone', async () => {
    const busy = instance.emulator.workspace.addForm({ title: 'Busy' });
    instance.emulator.workspace.addHistory(busy.id, { count: 500, from: newest - 500_000, everyMs: 1_000 });
    const { text } = await call({ resource: 'submission', operation: 'getAll', formId: form }, { form: busy.id });
    expect(JSON.parse(text)).toHaveLength(50);
  });

  it('says what is wrong and how to correct it when it is tried out', async () => {
    const { status, problem } = await call(readSubmissions, { form: contact, limit: 5, from: 'last week', until: '' });
    expect(status).toBe('error');
    expect(problem).toMatch(/'Submitted After' is not a date: last week[^]*2026-02-09/);
  });

  describe('with a model that follows a script', () => {
    let model: ScriptedModel;
    let credential: Credential;
    beforeAll(async () => {
      model = await startModel();
      credential = await instance.client.createCredential(model.credential);
    });
    afterAll(async () => await model.close());

    async function seenBy(parameters: INodeParameters, ...calls: object[]): Promise<unknown[]> {
      model.follow(...calls.map((args) => ({ call: 'Tool', with: { ...args } })), { say: 'Done.' });
      const { id } = await instance.client.createWorkflow(agentWith(parameters, credential));
      expect(await instance.client.run(id, 'Start', 100_000)).toMatchObject({ status: 'success' });
      return model.results().map((text) => JSON.parse(text) as unknown);
    }

    it('is offered to it by what the operation does, with the type of each value', async () => {
      await seenBy(readSubmissions);
      expect(model.requests[0]?.tools).toEqual([
        {
          type: 'function',
          function: objectWith({
            name: 'Tool',
            description: 'Get many submissions in NeetoForm',
            parameters: objectWith({
              properties: {
                form: { type: 'string', description: 'The form' },
                limit: { type: 'number', description: 'The limit' },
                from: { type: 'string', description: 'The from' },
                until: { type: 'string', description: 'The until' },
              },
            }),
          }),
        },
      ]);
    });

    it.each([
      ['a form that is not there', { form: 'contact-us' }, 'Form not found: contact-us'],
      ['no form', { form: '' }, "'Form' is empty"],
      ['a date that is none', { from: 'last week' }, "'Submitted After' is not a date: last week"],
      ['another such', { until: '2026-02-30' }, "'Submitted Before' is not a date: 2026-02-30"],
    ])(
      'shows it, of a mistake, the message alone, which names the parameter and the value: %s',
      async (_what, mistake, message) => {
        expect(await seenBy(readSubmissions, { form: contact, limit: 1, from: '', until: '', ...mistake })).toEqual([
          [{ error: message }],
        ]);
      },
    );

    /** For every operation that reads: a call with a mistake, the label of the parameter to blame, and what is right. */
    const reads: Array<{
      operation: string;
      parameters: INodeParameters;
      mistake: () => IDataObject;
      label: string;
      right: () => IDataObject;
    }> = [
      {
        operation: 'form: get',
        parameters: { formId: form },
        mistake: () => ({ form: 'contact-us' }),
        label: 'Form',
        right: () => ({ form: contact }),
      },
      {
        operation: 'form: getAll',
        parameters: { filters: { status: chosen('status'), title: chosen('words') } },
        mistake: () => ({ status: 'open', words: 'contact' }),
        label: 'Status',
        right: () => ({ status: 'active' }),
      },
      {
        operation: 'submission: count',
        parameters: { formId: form, filters: { submittedAfter: chosen('from') } },
        mistake: () => ({ form: contact, from: 'yesterday' }),
        label: 'Submitted After',
        right: () => ({ from: '2026-02-08' }),
      },
      {
        operation: 'submission: getAll',
        parameters: { formId: form, limit: chosen('limit', 'number'), filters: { submittedBefore: chosen('until') } },
        mistake: () => ({ form: contact, limit: 0, until: '2026-02-09' }),
        label: 'Limit',
        right: () => ({ limit: 3 }),
      },
      {
        operation: 'teamMember: get',
        parameters: { teamMemberId: { __rl: true, mode: 'email', value: chosen('member') } },
        mistake: () => ({ member: 'grace' }),
        label: 'Team Member',
        right: () => ({ member: 'grace.okafor@example.com' }),
      },
      {
        operation: 'teamMember: getAll',
        parameters: { limit: chosen('limit', 'number'), filters: { email: chosen('address') } },
        mistake: () => ({ limit: -1, address: 'grace.okafor@example.com' }),
        label: 'Limit',
        right: () => ({ limit: 5 }),
      },
    ];

    it('has an example of a mistake for every operation that reads', () => {
      const readings = OPERATIONS.filter(({ method }) => method === 'GET').map(
        ({ parameters: { resource, operation } }) => `${String(resource)}: ${String(operation)}`,
      );
      expect(new Set(reads.map(({ operation }) => operation))).toEqual(new Set(readings));
    });

    it.each(reads)('corrects its call of $operation by the message alone', async (read) => {
      const [resource, operation] = read.operation.split(': ');
      const mistake = read.mistake();
      model.follow(
        { call: 'Tool', with: mistake },
        (results) => correctedCall(mistake, results, read.label, read.right()),
        { say: 'Done.' },
      );
      const draft = agentWith({ ...read.parameters, resource, operation }, credential);
      const { id } = await instance.client.createWorkflow(draft);
      expect(await instance.client.run(id, 'Start', 100_000)).toMatchObject({ status: 'success' });
      const [wrong, right] = model.results().map((text) => z.array(z.record(z.unknown())).parse(JSON.parse(text)));
      expect(wrong).toEqual([{ error: anyText }]);
      expect(right?.length).toBeGreaterThan(0);
      expect(right?.filter((item) => 'error' in item)).toEqual([]);
    });

    it('lets it correct its call, and continues', async () => {
      const [wrong, right] = await seenBy(
        readSubmissions,
        { form: contact, limit: 1, from: 'yesterday', until: '' },
        { form: contact, limit: 1, from: '2026-02-08', until: '' },
      );
      expect(wrong).toEqual([{ error: "'Submitted After' is not a date: yesterday" }]);
      expect(right).toEqual([objectWith({ id: anyText, form_id: contact, created_at: '2026-02-09T05:20:59.464Z' })]);
    });

    it('tells it in the words of the service which value is refused', async () => {
      const add = {
        resource: 'teamMember',
        operation: 'add',
        emails: chosen('emails'),
        additionalFields: { organizationRole: chosen('role') },
      };
      const [refused] = await seenBy(add, { emails: 'new@example.com', role: 'Emperor' });
      const answer = z
        .object({ error: z.string() })
        .parse(JSON.parse(instance.emulator.requests[0]?.responseBody ?? '{}'));
      expect(refused).toEqual([answer]);
    });
  });
});

/** What a model does that has read a message: it corrects the parameter that the message names. */
function correctedCall(args: IDataObject, results: string[], label: string, right: IDataObject): Turn {
  const [{ error }] = z.tuple([z.object({ error: z.string() })]).parse(JSON.parse(results.at(-1) ?? ''));
  return error.includes(label)
    ? { call: 'Tool', with: { ...args, ...right } }
    : { say: `The message does not name ${label}: ${error}` };
}

function node(name: string, type: string, typeVersion: number, parameters: INodeParameters): INode {
  return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

const toolRun = z.object({
  data: z.object({ ai_tool: z.array(z.array(z.object({ json: z.object({ response: z.unknown() }) }))) }).optional(),
});

function readResult(data: string): { text: string; problem: string | undefined } {
  const { resultData } = z
    .object({
      resultData: z.object({
        error: z.object({ message: z.string() }).optional(),
        runData: z.record(z.array(z.unknown())),
      }),
    })
    .parse(parse(data));
  const run = resultData.error ? undefined : toolRun.parse(resultData.runData['Tool']?.[0]);
  return {
    text: JSON.stringify(run?.data?.ai_tool[0]?.[0]?.json.response ?? null),
    problem: resultData.error?.message,
  };
}
