import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { type FormSeed, type WorkspaceSeed, sampleWorkspace } from '../../emulator/index.ts';
import type { Credential, WorkflowDraft } from '../../n8n-runner/client.ts';
import type { Execution } from '../../n8n-runner/execution.ts';
import { repositoryFolder } from '../../n8n-runner/paths.ts';
import { type TestInstance, startTestInstance, startTimeoutMs, waitForExecutions } from './support/instance.ts';
import { anyText, objectWith, textLike } from './support/matchers.ts';
import { type ScriptedModel, modelNode, startModel } from './support/model.ts';
import {
  chain,
  createNode,
  exampleFiles,
  fillInExample,
  isOurs,
  readExample,
  submitForm,
} from './support/workflows.ts';

describe.each(exampleFiles)('examples/%s', (file) => {
  const { name, nodes, pinData, active, connections } = readExample(file);

  it('contains nothing of the n8n it was made in: no credential, no data, no chosen form', () => {
    expect(active).toBe(false);
    expect(pinData).toEqual({});
    expect(nodes.filter((node) => node.credentials !== undefined || node.webhookId !== undefined)).toEqual([]);
    const chosen = nodes
      .filter(isOurs)
      .map(({ parameters }) => (parameters['formId'] as IDataObject | undefined)?.['value'] ?? '');
    expect(chosen.filter((value) => value !== '' && !textOf(value).startsWith('='))).toEqual([]);
  });

  it('has a note about what it does, and numbered notes that name each node that needs the credential', () => {
    const notes = nodes
      .filter(({ type }) => type === 'n8n-nodes-base.stickyNote')
      .map(({ parameters }) => textOf(parameters['content']));
    expect(notes.filter((note) => note.startsWith('## '))).toHaveLength(1);
    const steps = notes.filter((note) => note.startsWith('### '));
    expect(steps.map((note) => Number(/^### (\d+)\. /.exec(note)?.[1]))).toEqual(
      steps.map((_note, index) => index + 1),
    );
    const needed = nodes.filter(isOurs).map((node) => `*${node.name}*`);
    expect(needed.filter((node) => !steps.some((note) => note.includes(node)))).toEqual([]);
  });

  it('places each numbered note around the nodes that it names', () => {
    const notes = nodes.filter(({ parameters }) => textOf(parameters['content']).startsWith('### '));
    const misplaced = notes.flatMap(({ parameters, position: [x, y] }) =>
      nodes
        .filter((node) => textOf(parameters['content']).includes(`*${node.name}*`) && isOurs(node))
        .filter(({ position: [nodeX, nodeY] }) => {
          const [width, height] = [Number(parameters['width']), Number(parameters['height'])];
          return nodeX < x || nodeX + 96 > x + width || nodeY < y || nodeY + 96 > y + height;
        })
        .map((node) => node.name),
    );
    expect(misplaced).toEqual([]);
  });

  it('connects nodes that exist', () => {
    const ends = Object.values(connections).flatMap((types) =>
      Object.values(types).flatMap((outputs) => outputs.flatMap((output) => (output ?? []).map(({ node }) => node))),
    );
    expect(nodes.map((node) => node.name)).toEqual(expect.arrayContaining([...Object.keys(connections), ...ends]));
  });

  it('is described in the README beside it', () => {
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
  const sample = sampleWorkspace(Date.now());
  return { ...sample, forms: [...(sample.forms ?? []), accessForm] };
}

describe('the examples in a real n8n instance', () => {
  let instance: TestInstance;
  beforeAll(async () => {
    instance = await startTestInstance(workspace());
  }, startTimeoutMs);
  afterEach(() => instance.emulator.reset());
  afterAll(async () => await instance.stop());

  function formId(title: string): string {
    const form = instance.emulator.workspace.forms.find((each) => each.title === title);
    if (!form) throw new Error(`There is no form ${title}`);
    return form.id;
  }

  function imported(file: string, formTitle?: string): WorkflowDraft {
    return fillInExample(
      readExample(file),
      instance.credential,
      formTitle === undefined ? undefined : formId(formTitle),
    );
  }

  async function submit(title: string, answers: Record<string, string>): Promise<void> {
    await submitForm(`${instance.emulator.url}/forms/${formId(title)}/attempt`, answers);
  }

  /** The executions of a workflow, oldest first, once this node has returned as many items. */
  async function executionsWith(items: number, node: string, workflowId: string): Promise<Execution[]> {
    return await waitForExecutions(
      instance.client,
      workflowId,
      (started) => started.flatMap(({ itemsOf }) => itemsOf(node)).length >= items,
    );
  }

  it('a new submission becomes a row with the same columns whatever was skipped', async () => {
    const workflow = await instance.client.createWorkflow(imported('submissions-to-data-table.json', 'Contact us'));
    expect(await instance.client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    expect(await instance.client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    await instance.client.activate(workflow);
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

    const executions = await executionsWith(2, 'Add Row', workflow.id);
    expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
    const row = {
      submission: anyText,
      submitted: textLike(/^\d{4}-\d\d-\d\dT/),
      name: 'Grace Hopper',
      email: 'grace.hopper@example.org',
      topic: 'Sales',
      message: 'One, "two"\nthree',
    };
    expect(await rowsOf('NeetoForm submissions')).toEqual([
      objectWith({ ...row, phone: null }),
      objectWith({ ...row, phone: '+1 212 555 0199' }),
    ]);
    await instance.client.deactivate(workflow.id);
  }, 400_000);

  /** What a data table contains, as a workflow reads it. */
  async function rowsOf(table: string): Promise<IDataObject[]> {
    const { id } = await instance.client.createWorkflow(
      chain([
        createNode('Start', 'n8n-nodes-base.manualTrigger', {}),
        createNode(
          'Rows',
          'n8n-nodes-base.dataTable',
          {
            resource: 'row',
            operation: 'get',
            dataTableId: { __rl: true, mode: 'name', value: table },
            returnAll: true,
          },
          1.1,
        ),
      ]),
    );
    return jsonOf(await instance.client.run(id, 'Start'), 'Rows');
  }

  it('people who answer yes are invited, and those who answer no or nothing are not', async () => {
    const workflow = await instance.client.createWorkflow(imported('invite-on-answer.json', 'Ask for access'));
    await instance.client.activate(workflow);
    await submit('Ask for access', { 'email-address': 'yes@example.org', 'single-choice': 'Yes' });
    await submit('Ask for access', { 'email-address': 'no@example.org', 'single-choice': 'No' });
    await submit('Ask for access', { 'email-address': 'nothing@example.org' });

    const executions = await executionsWith(3, 'New Submission', workflow.id);
    expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
    const emails = (node: string) =>
      executions
        .flatMap((execution) => jsonOf(execution, node))
        .map(({ answers }) => (answers as IDataObject)['Email address']);
    expect(emails('Not Invited').sort()).toEqual(['no@example.org', 'nothing@example.org']);
    expect(instance.emulator.workspace.invitations.map(({ email }) => email)).toEqual(['yes@example.org']);
    expect(instance.emulator.workspace.members).toContainEqual(
      objectWith({ email: 'yes@example.org', active: true, organizationRole: 'Standard' }),
    );
    expect(instance.emulator.workspace.members.filter(({ email }) => /^(no|nothing)@/.test(email))).toEqual([]);
    await instance.client.deactivate(workflow.id);
  }, 400_000);

  it("every form with submissions yesterday becomes one CSV file with only yesterday's rows", async () => {
    const { workspace: service } = instance.emulator;
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
    const readFile = createNode(
      'Your Destination',
      'n8n-nodes-base.code',
      {
        jsCode:
          "return [{ json: { name: $input.first().binary.data.fileName, text: (await this.helpers.getBinaryDataBuffer(0, 'data')).toString() } }];",
      },
      2,
    );
    const draft = { ...withNode(example, readFile), settings: { ...example.settings, timezone: 'UTC' } };
    const workflow = await instance.client.createWorkflow(draft);
    const execution = await instance.client.run(workflow.id, 'Every Night', 100_000);

    expect(execution).toMatchObject({ status: 'success' });
    const at = (ms: number) => new Date(ms).toISOString();
    const yesterday = at(today - dayMs).slice(0, 10);
    const [first, last] = service.submissions(contact.id).slice(1);
    const [dishes] = service.submissions(order.id);
    const files = jsonOf(execution, 'Your Destination').filter(({ name }) =>
      /^(Contact-press|Order|Quiet)/.test(textOf(name)),
    );
    // Newest form first.
    expect(files).toEqual([
      {
        name: `Order-${yesterday}.csv`,
        text: `\uFEFFid,created_at,form_id,form_title,Dishes\n${dishes?.id},${at(today - dayMs / 2)},${order.id},Order,"Soup, Salad"`,
      },
      {
        name: `Contact-press-TV-${yesterday}.csv`,
        text: `\uFEFFid,created_at,form_id,form_title,Name,Phone\n${first?.id},${at(today - dayMs)},${contact.id},Contact: press / TV,"first, ""instant""",\n${last?.id},${at(today - 1)},${contact.id},Contact: press / TV,last instant,+33 1`,
      },
    ]);
    await instance.client.activate(workflow);
    await instance.client.deactivate(workflow.id);
  }, 200_000);

  it('people who cannot be removed are reported by address and reason, and stop nobody else', async () => {
    const example = imported('off-boarding.json');
    const emails = ['tomas.novak@example.com', 'nobody@example.com', 'not an address', 'grace.okafor@example.com'];
    const people = createNode('People Who Leave', 'n8n-nodes-base.set', listOf(emails), 3.4);
    const workflow = await instance.client.createWorkflow(withNode(example, people));
    const execution = await instance.client.run(workflow.id, 'Start');

    expect(execution).toMatchObject({ status: 'success' });
    expect(jsonOf(execution, 'Removed')).toEqual([
      { email: 'tomas.novak@example.com', result: 'removed' },
      { email: 'grace.okafor@example.com', result: 'removed' },
    ]);
    expect(jsonOf(execution, 'Could Not Be Removed')).toEqual([
      { email: 'nobody@example.com', result: textLike(/nobody@example\.com/) },
      { email: 'not an address', result: textLike(/not an address/) },
    ]);
    const active = (email: string) =>
      instance.emulator.workspace.members.find((member) => member.email === email)?.active;
    expect([
      active('tomas.novak@example.com'),
      active('grace.okafor@example.com'),
      active('sana.iyer@example.com'),
    ]).toEqual([false, false, true]);
  });

  it('a webhook call delivers a submission in less than five seconds, once, although the trigger finds it too', async () => {
    const { client, n8n, emulator } = instance;
    // The trigger would otherwise find the submissions of the other tests.
    const form = emulator.workspace.addForm({ title: 'Instant', questions: [{ label: 'Name', slug: 'name' }] });
    const draft = imported('instant-delivery.json', form.title);
    // The editor gives an imported Webhook node this ID, and with it the path that the node names.
    const nodes = draft.nodes.map((node) => (node.name === 'Signal' ? { ...node, webhookId: 'signal' } : node));
    const workflow = await client.createWorkflow({ ...draft, nodes });
    await client.activate(workflow);

    const submission = emulator.workspace.addSubmission(form.id, { answers: { name: 'Ada' } });
    const calledAt = Date.now();
    const url = `${n8n.url}/webhook/neetoform-submission`;
    expect((await fetch(url, { method: 'POST', body: 'anything' })).status).toBe(200);
    await executionsWith(1, 'Your Steps', workflow.id);
    expect(Date.now() - calledAt).toBeLessThan(5_000);

    // A call without a new submission, and one that gets lost: the trigger delivers that submission.
    expect((await fetch(url, { method: 'POST' })).status).toBe(200);
    await waitForExecutions(
      client,
      workflow.id,
      (started) => started.filter(({ mode }) => mode === 'webhook').length === 2,
    );
    const lost = emulator.workspace.addSubmission(form.id, { answers: { name: 'Grace' } });
    const executions = await executionsWith(2, 'Your Steps', workflow.id);
    const delivered = executions.flatMap((execution) => jsonOf(execution, 'Your Steps'));
    expect(delivered.map(({ id }) => id)).toEqual([submission.id, lost.id]);
    // The trigger emitted the first one as well, and it was dropped.
    const polled = executions.filter(({ mode }) => mode === 'trigger');
    expect(polled.flatMap((execution) => jsonOf(execution, 'New Submission')).map(({ id }) => id)).toEqual([
      submission.id,
      lost.id,
    ]);
    await client.deactivate(workflow.id);
  }, 300_000);

  it('three submissions of one poll run in three executions, and one that fails stops no other', async () => {
    const { client, emulator } = instance;
    const form = emulator.workspace.addForm({ title: 'One by one', questions: [{ label: 'Name', slug: 'name' }] });
    const steps = createNode(
      'Your Steps',
      'n8n-nodes-base.code',
      { jsCode: "if ($json.answers.Name === 'b') throw new Error('Refused'); return $input.all();" },
      2,
    );
    const workflow = await client.createWorkflow(
      withNode(imported('one-execution-per-submission.json', form.title), steps),
    );
    await client.activate(workflow);
    for (const name of ['a', 'b', 'c']) emulator.workspace.addSubmission(form.id, { answers: { name } });

    const executions = await waitForExecutions(
      client,
      workflow.id,
      (started) => started.filter(({ itemsOf }) => itemsOf('One Submission').length > 0).length >= 3,
    );
    const polled = executions.filter(({ mode }) => mode === 'trigger');
    expect(polled.map(({ status, itemsOf }) => [status, itemsOf('New Submission').length])).toEqual([['success', 3]]);
    const single = executions.filter(({ mode }) => mode !== 'trigger');
    const outcomes = single.map((execution) => [
      jsonOf(execution, 'One Submission').map(({ answers }) => (answers as IDataObject)['Name']),
      execution.error?.message,
    ]);
    expect(outcomes).toHaveLength(3);
    expect(outcomes).toEqual(
      expect.arrayContaining([
        [['a'], undefined],
        [['b'], textLike(/Refused/)],
        [['c'], undefined],
      ]),
    );
    await client.deactivate(workflow.id);
  }, 300_000);

  it('with Max Submissions 1, each poll starts one execution with one submission', async () => {
    const { client, emulator } = instance;
    const form = emulator.workspace.addForm({ title: 'One per poll', questions: [{ label: 'Name', slug: 'name' }] });
    const example = imported('submissions-to-data-table.json', form.title);
    const trigger = example.nodes.find(({ name }) => name === 'New Submission');
    if (!trigger) throw new Error('The example has no trigger');
    const { id, versionId } = await client.createWorkflow(
      chain([
        { ...trigger, parameters: { ...trigger.parameters, options: { maxSubmissions: 1 } } },
        createNode('Next', 'n8n-nodes-base.noOp', {}),
      ]),
    );
    await client.activate({ id, versionId });
    const submissions = [1, 2].map(() => emulator.workspace.addSubmission(form.id));

    const executions = await executionsWith(2, 'Next', id);
    expect(executions.map((execution) => jsonOf(execution, 'Next').map((row) => row['id']))).toEqual(
      submissions.map((submission) => [submission.id]),
    );
    await client.deactivate(id);
  }, 300_000);

  it('a failing trigger alerts by its error output', async () => {
    const { client, emulator } = instance;
    const workflow = await client.createWorkflow(imported('error-branch.json', 'Contact us'));
    await client.activate(workflow);
    emulator.fail({ when: { path: /submissions/, every: 1 }, with: { status: 403, body: { error: 'Not allowed' } } });
    const [execution] = await executionsWith(1, 'Alert', workflow.id);
    expect(execution && jsonOf(execution, 'Alert')).toEqual([
      { message: textLike(/^The trigger could not read new submissions: .*Not allowed/) },
    ]);
    await client.deactivate(workflow.id);
  }, 300_000);

  describe('an agent', () => {
    let model: ScriptedModel;
    let credential: Credential;
    beforeAll(async () => {
      model = await startModel();
      credential = await instance.client.createCredential(model.credential);
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
      const { id } = await instance.client.createWorkflow(draft);
      return await instance.client.run(id, 'Question', 100_000);
    }

    it('finds a form, counts and reads its submissions, and answers', async () => {
      model.follow(
        { call: 'Find_Forms', with: { words: 'CONTACT us' } },
        { call: 'Count_Submissions', with: { form: formId('Contact us'), from: '', until: '' } },
        { call: 'Read_Submissions', with: { form: formId('Contact us'), limit: 3, from: '', until: '' } },
        { say: 'Three people wrote.' },
      );
      const execution = await ask('Who wrote to us?');
      expect(execution).toMatchObject({ status: 'success' });
      expect(jsonOf(execution, 'Agent')).toEqual([objectWith({ output: 'Three people wrote.' })]);
      const [forms = '', count = '', submissions = ''] = model.results();
      expect(forms).toContain(formId('Contact us'));
      const total = instance.emulator.workspace.submissions(formId('Contact us')).length;
      expect(JSON.parse(count)).toEqual([{ form_id: formId('Contact us'), count: total }]);
      expect(submissions.match(/"created_at"/g)).toHaveLength(3);
      expect(submissions).not.toMatch(/user_agent|ip_address/);
      expect(Buffer.byteLength(submissions)).toBeLessThan(4_000);
    });

    it('is offered four tools that read, each with its purpose and its parameters', async () => {
      model.follow({ say: 'Hello.' });
      await ask('Hello?');
      const tools = (model.requests[0]?.tools ?? []).map((tool) => tool.function);
      expect(
        Object.fromEntries(tools.map(({ name, parameters }) => [name, Object.keys(parameters.properties).sort()])),
      ).toEqual({
        Count_Submissions: ['form', 'from', 'until'],
        Find_Forms: ['words'],
        Read_Questions: ['form'],
        Read_Submissions: ['form', 'from', 'limit', 'until'],
      });
      for (const { description, parameters } of tools) {
        expect(description).toMatch(/^(Finds|Returns) .*form/);
        for (const each of Object.values(parameters.properties)) expect(each.description).toEqual(anyText);
      }
    });
  });
});

/** The workflow with another node instead of the one of the same name, at the same place. */
function withNode<T extends WorkflowDraft>(draft: T, node: INode): T {
  return {
    ...draft,
    nodes: draft.nodes.map((each) => (each.name === node.name ? { ...node, position: each.position } : each)),
  };
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
