import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import { type FormSeed, type WorkspaceSeed, believableWorkspace } from '../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../n8n-runner/client.ts';
import type { Execution } from '../../n8n-runner/execution.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { exampleFiles, filledIn, isOurs, readExample } from './support/examples.ts';
import { fillIn } from './support/fillIn.ts';
import { anyText, objectWith, textLike } from './support/like.ts';
import { type ScriptedModel, modelNode, startModel } from './support/model.ts';
import { type WholeN8n, startTimeoutMs, startWholeN8n } from './support/wholeN8n.ts';

describe.each(exampleFiles)('examples/%s', (file) => {
  const { name, nodes, pinData, active, connections } = readExample(file);

  it('holds nothing of the n8n it was made in: no credential, no data, no chosen form', () => {
    expect(active).toBe(false);
    expect(pinData).toEqual({});
    expect(nodes.filter((node) => node.credentials !== undefined || node.webhookId !== undefined)).toEqual([]);
    const chosen = nodes
      .filter(isOurs)
      .map(({ parameters }) => (parameters['formId'] as IDataObject | undefined)?.['value'] ?? '');
    expect(chosen.filter((value) => value !== '' && !textOf(value).startsWith('='))).toEqual([]);
  });

  it('has a note that says what to fill in, naming each node that needs the credential', () => {
    const note = nodes.find(({ type }) => type === 'n8n-nodes-base.stickyNote')?.parameters['content'];
    expect(note).toEqual(textLike(/^## .+\n\*\*Fill in\*\*\n1\. /));
    const unnamed = nodes
      .filter(isOurs)
      .filter((node) => node.type !== 'n8n-nodes-neetoform.neetoFormTool' && !textOf(note).includes(`*${node.name}*`));
    expect(unnamed).toEqual([]);
  });

  it('connects nodes that are there', () => {
    const ends = Object.values(connections).flatMap((types) =>
      Object.values(types).flatMap((outputs) => outputs.flatMap((output) => (output ?? []).map(({ node }) => node))),
    );
    expect(nodes.map((node) => node.name)).toEqual(expect.arrayContaining([...Object.keys(connections), ...ends]));
  });

  it('is told of in the README beside it', () => {
    const readme = readFileSync(join(repositoryFolder, 'examples', 'README.md'), 'utf8');
    expect(readme).toContain(`](${file})`);
    expect(readme).toContain(name);
  });
});

const accessForm: FormSeed = {
  title: 'Ask for access',
  questions: [
    { label: 'Email address', kind: 'email', slug: 'email-address', isRequired: true },
    {
      label: 'Would you like access to our workspace?',
      kind: 'single_choice',
      slug: 'single-choice',
      options: ['Yes', 'No'],
    },
  ],
};

function workspace(): WorkspaceSeed {
  const believable = believableWorkspace(Date.now());
  return { ...believable, forms: [...(believable.forms ?? []), accessForm] };
}

describe('the examples in a whole n8n', () => {
  let whole: WholeN8n;
  beforeAll(async () => {
    whole = await startWholeN8n(workspace());
  }, startTimeoutMs);
  afterEach(() => whole.emulator.reset());
  afterAll(async () => await whole.stop());

  function formId(title: string): string {
    const form = whole.emulator.workspace.forms.find((each) => each.title === title);
    if (!form) throw new Error(`There is no form ${title}`);
    return form.id;
  }

  function imported(file: string, formTitle?: string): WorkflowDraft {
    return filledIn(readExample(file), whole.credential, formTitle === undefined ? undefined : formId(formTitle));
  }

  async function submit(title: string, answers: Record<string, string>): Promise<void> {
    await fillIn(`${whole.emulator.url}/forms/${formId(title)}/attempt`, answers);
  }

  /** The executions that polls started, oldest first, once there are as many items as expected. */
  async function triggered(workflowId: string, trigger: string, items: number): Promise<Execution[]> {
    const deadline = Date.now() + 200_000;
    for (;;) {
      const found = await whole.client.listExecutions(workflowId);
      const polled = found.filter(({ mode }) => mode === 'trigger').reverse();
      const executions = await Promise.all(polled.map(async ({ id }) => await whole.client.waitForExecution(id)));
      if (executions.flatMap(({ itemsOf }) => itemsOf(trigger)).length >= items) return executions;
      if (Date.now() > deadline) throw new Error(`${executions.length} executions after the time they need`);
      await sleep(1_000);
    }
  }

  it('a new submission becomes a row with the same columns whatever was skipped', async () => {
    const workflow = await whole.client.createWorkflow(imported('submissions-to-data-table.json', 'Contact us'));
    expect(await whole.client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    expect(await whole.client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    await whole.client.activate(workflow);
    const grace = {
      'full-name[first_name]': 'Grace',
      'full-name[last_name]': 'Hopper',
      'email-address': 'grace.hopper@example.org',
      'type-a-question': 'Sales',
      'type-a-question-2': 'One, "two"\nthree',
    };
    await submit('Contact us', grace);
    await submit('Contact us', {
      ...grace,
      'phone-number[country]': 'United States',
      'phone-number': '+1 212 555 0199',
    });

    const executions = await triggered(workflow.id, 'New Submission', 2);
    expect(executions.map(({ status, error }) => ({ status, error }))).toEqual(
      executions.map(() => ({ status: 'success' })),
    );
    const row = {
      name: 'Grace Hopper',
      email: 'grace.hopper@example.org',
      topic: 'Sales',
      message: 'One, "two"\nthree',
    };
    expect(await rowsOf('NeetoForm submissions')).toEqual([
      objectWith({ ...row, phone: null }),
      objectWith({ ...row, phone: '+1 212 555 0199' }),
    ]);
    await whole.client.deactivate(workflow.id);
  }, 400_000);

  /** What a data table holds, as a workflow reads it. */
  async function rowsOf(table: string): Promise<IDataObject[]> {
    const nodes = [
      step('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
      step('Rows', 'n8n-nodes-base.dataTable', 1.1, {
        resource: 'row',
        operation: 'get',
        dataTableId: { __rl: true, mode: 'name', value: table },
        returnAll: true,
      }),
    ];
    const { id } = await whole.client.createWorkflow({
      name: 'Rows',
      nodes,
      connections: { Start: { main: [[{ node: 'Rows', type: 'main', index: 0 }]] } },
    });
    return jsonOf(await whole.client.run(id, 'Start'), 'Rows');
  }

  it('who answers yes is invited, and who answers no or nothing is not', async () => {
    const workflow = await whole.client.createWorkflow(imported('invite-on-answer.json', 'Ask for access'));
    await whole.client.activate(workflow);
    await submit('Ask for access', { 'email-address': 'yes@example.org', 'single-choice': 'Yes' });
    await submit('Ask for access', { 'email-address': 'no@example.org', 'single-choice': 'No' });
    await submit('Ask for access', { 'email-address': 'nothing@example.org' });

    const executions = await triggered(workflow.id, 'New Submission', 3);
    expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
    const emails = (node: string) =>
      executions
        .flatMap((execution) => jsonOf(execution, node))
        .map(({ answers }) => (answers as IDataObject)['Email address']);
    expect(emails('Not Invited').sort()).toEqual(['no@example.org', 'nothing@example.org']);
    expect(whole.emulator.workspace.invitations.map(({ email }) => email)).toEqual(['yes@example.org']);
    expect(whole.emulator.workspace.members).toContainEqual(
      objectWith({ email: 'yes@example.org', active: true, organizationRole: 'Standard' }),
    );
    expect(whole.emulator.workspace.members.filter(({ email }) => /^(no|nothing)@/.test(email))).toEqual([]);
    await whole.client.deactivate(workflow.id);
  }, 400_000);

  it("every form with a submission yesterday gives one CSV file with yesterday's rows alone", async () => {
    const { workspace: service } = whole.emulator;
    const today = Date.parse(new Date().toISOString().slice(0, 10));
    const dayMs = 24 * 60 * 60 * 1000;
    const contact = service.addForm({
      title: 'Contact: press / TV',
      questions: [
        { label: 'Name', kind: 'short_text', slug: 'name' },
        { label: 'Phone', kind: 'phone', slug: 'phone' },
      ],
    });
    const order = service.addForm({
      title: 'Order',
      questions: [{ label: 'Dishes', kind: 'multiple_choice', slug: 'dishes', options: ['Soup', 'Salad'] }],
    });
    service.addForm({ title: 'Quiet', questions: [] });
    service.addSubmission(contact.id, { createdAt: today - dayMs - 1, answers: { name: 'the day before' } });
    service.addSubmission(contact.id, { createdAt: today - dayMs, answers: { name: 'first, "instant"' } });
    service.addSubmission(contact.id, {
      createdAt: today - 1,
      answers: { name: 'last instant', phone: { country_name: 'France', value: '+33 1' } },
    });
    service.addSubmission(contact.id, { createdAt: today, answers: { name: 'today' } });
    service.addSubmission(order.id, { createdAt: today - dayMs / 2, answers: { dishes: ['Soup', 'Salad'] } });

    const example = imported('nightly-csv-export.json');
    const readBack = step('Read Back', 'n8n-nodes-base.code', 2, {
      jsCode:
        "return [{ json: { name: $input.first().binary.data.fileName, text: (await this.helpers.getBinaryDataBuffer(0, 'data')).toString() } }];",
    });
    const draft = { ...inTimeZone(example, 'UTC'), ...behind(example, 'CSV File', 'Each Form', readBack) };
    const workflow = await whole.client.createWorkflow(draft);
    const execution = await whole.client.run(workflow.id, 'Every Night', 100_000);

    expect(execution).toMatchObject({ status: 'success' });
    const at = (ms: number) => new Date(ms).toISOString();
    const yesterday = at(today - dayMs).slice(0, 10);
    const [first, last] = service.submissions(contact.id).slice(1);
    const [dishes] = service.submissions(order.id);
    const files = jsonOf(execution, 'Read Back').filter(({ name }) =>
      /^(Contact-press|Order|Quiet)/.test(textOf(name)),
    );
    expect(files).toEqual([
      {
        name: `Contact-press-TV-${yesterday}.csv`,
        text: `\uFEFFsubmission,submitted,Name,Phone\n${first?.id},${at(today - dayMs)},"first, ""instant""",\n${last?.id},${at(today - 1)},last instant,+33 1`,
      },
      {
        name: `Order-${yesterday}.csv`,
        text: `\uFEFFsubmission,submitted,Dishes\n${dishes?.id},${at(today - dayMs / 2)},Soup; Salad`,
      },
    ]);
    await whole.client.activate(workflow);
    await whole.client.deactivate(workflow.id);
  }, 200_000);

  it('who cannot be removed is reported by address and reason, and keeps nobody else', async () => {
    const example = imported('off-boarding.json');
    const emails = ['tomas.novak@example.com', 'nobody@example.com', 'not an address', 'grace.okafor@example.com'];
    const nodes = example.nodes.map((node) =>
      node.name === 'People Who Leave' ? { ...node, parameters: listOf(emails) } : node,
    );
    const workflow = await whole.client.createWorkflow({ ...example, nodes });
    const execution = await whole.client.run(workflow.id, 'Start');

    expect(execution).toMatchObject({ status: 'success' });
    expect(jsonOf(execution, 'Removed')).toEqual([
      { email: 'tomas.novak@example.com', result: 'removed' },
      { email: 'grace.okafor@example.com', result: 'removed' },
    ]);
    expect(jsonOf(execution, 'Could Not Be Removed')).toEqual([
      { email: 'nobody@example.com', result: textLike(/Team member not found/) },
      { email: 'not an address', result: textLike(/not an email address: not an address/) },
    ]);
    const active = (email: string) => whole.emulator.workspace.members.find((member) => member.email === email)?.active;
    expect([
      active('tomas.novak@example.com'),
      active('grace.okafor@example.com'),
      active('sana.iyer@example.com'),
    ]).toEqual([false, false, true]);
  });

  describe('an agent', () => {
    let model: ScriptedModel;
    let credential: Credential;
    beforeAll(async () => {
      model = await startModel();
      credential = await whole.client.createCredential(model.credential);
    });
    afterAll(async () => await model.close());

    async function ask(question: string): Promise<Execution> {
      const example = imported('ask-about-submissions.json');
      const draft = {
        ...example,
        nodes: [...example.nodes, modelNode(credential)],
        connections: {
          ...example.connections,
          Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel' as const, index: 0 }]] },
        },
        pinData: { Question: [{ json: { chatInput: question, sessionId: 'one', action: 'sendMessage' } }] },
      };
      const { id } = await whole.client.createWorkflow(draft);
      return await whole.client.run(id, 'Question', 100_000);
    }

    it('finds a form, reads what was submitted to it, and answers', async () => {
      model.follow(
        { call: 'Find_Forms', with: { words: 'CONTACT us' } },
        { call: 'Read_Submissions', with: { form: formId('Contact us'), limit: 3, from: '', until: '' } },
        { say: 'Three people wrote.' },
      );
      const execution = await ask('Who wrote to us?');
      expect(execution).toMatchObject({ status: 'success' });
      expect(jsonOf(execution, 'Agent')).toEqual([objectWith({ output: 'Three people wrote.' })]);
      const [forms = '', submissions = ''] = model.results();
      expect(forms).toContain(formId('Contact us'));
      expect(submissions.match(/"created_at"/g)).toHaveLength(3);
      expect(submissions).not.toMatch(/user_agent|ip_address/);
      expect(Buffer.byteLength(submissions)).toBeLessThan(4_000);
    });

    it('is told of three tools that read, each by what it is for and what it needs', async () => {
      model.follow({ say: 'Hello.' });
      await ask('Hello?');
      const tools = (model.requests[0]?.tools ?? []).map((tool) => tool.function);
      expect(
        Object.fromEntries(tools.map(({ name, parameters }) => [name, Object.keys(parameters.properties).sort()])),
      ).toEqual({
        Find_Forms: ['words'],
        Read_Questions: ['form'],
        Read_Submissions: ['form', 'from', 'limit', 'until'],
      });
      for (const { description, parameters } of tools) {
        expect(description).toMatch(/^(Finds|Gives) .*form/);
        for (const each of Object.values(parameters.properties)) expect(each.description).toEqual(anyText);
      }
    });
  });
});

function step(name: string, type: string, typeVersion: number, parameters: INode['parameters']): INode {
  return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

/** What a user adds: a node between two connected ones. */
function behind(
  { nodes, connections }: WorkflowDraft,
  from: string,
  to: string,
  between: INode,
): Pick<WorkflowDraft, 'nodes' | 'connections'> {
  const link = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
  return {
    nodes: [...nodes, between],
    connections: { ...connections, [from]: link(between.name), [between.name]: link(to) },
  };
}

function inTimeZone(draft: WorkflowDraft, timezone: string): WorkflowDraft {
  return { ...draft, settings: { ...draft.settings, timezone } };
}

function listOf(emails: string[]): INode['parameters'] {
  return {
    assignments: { assignments: [{ id: 'emails', name: 'emails', type: 'array', value: JSON.stringify(emails) }] },
    options: {},
  };
}

function jsonOf(execution: Execution, node: string): IDataObject[] {
  return execution.itemsOf(node).map(({ json }) => json as IDataObject);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}
