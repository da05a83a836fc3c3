import { fastify } from 'fastify';
import type { INode } from 'n8n-workflow';

import type { Execution } from '../../../n8n-runner/client.ts';
import { chain, createNode, START, startNode } from '../../../n8n-runner/workflow.ts';
import { exampleTools, jsonOf } from './support/examples.ts';
import { textLike, useTestInstance } from './support/instance.ts';
import { byId, contactAnswers, submitForm } from './support/workflows.ts';

describe('the examples for tables and messages, with hostile answers', () => {
  const instance = useTestInstance();
  const { imported, executionsWith, rowsOf } = exampleTools(instance);
  const posted: unknown[] = [];
  const chat = fastify({ forceCloseConnections: true });
  let chatUrl: string;
  beforeAll(async () => {
    chat.post('/', async ({ body }) => void posted.push(body));
    chatUrl = await chat.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => await chat.close());

  /** What calls everybody in a channel, or hides an address behind other words. */
  const calls = '<!channel> <https://evil.example|Sign in> @here [Sign in](https://evil.example)';
  const message = `Zoë <script> & "more"\n${calls}\n[${calls}]: x`;

  /** Send Email needs a mail server: a node that returns the parts of the mail takes its place. The chat is ours. */
  function withoutAddressees(node: INode): INode {
    if (node.name === 'Post Message') return { ...node, parameters: { ...node.parameters, url: chatUrl } };
    if (node.name !== 'Send Email') return node;
    expect(node).toMatchObject({ type: 'n8n-nodes-base.emailSend', parameters: { emailFormat: 'both' } });
    const texts = ['subject', 'text', 'html'];
    const assignments = texts.map((name) => ({ id: name, name, type: 'string', value: node.parameters[name] }));
    return createNode(node.name, 'n8n-nodes-base.set', { assignments: { assignments }, options: {} }, 3.4);
  }

  /** Publishes an example for the form "Contact us", and submits the form. */
  async function submit(file: string): Promise<Execution> {
    const { client, emulator, formId, activate } = instance();
    const draft = imported(file, {}, 'Contact us');
    const workflow = await activate({ ...draft, nodes: draft.nodes.map(withoutAddressees) });
    if (draft.nodes.some(({ name }) => name === 'Run Once'))
      expect(await client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    await submitForm(`${emulator.url}/forms/${formId('Contact us')}/attempt`, {
      ...contactAnswers,
      'type-a-question-2': message,
    });
    const [execution, ...more] = await executionsWith(1, 'New Submission', workflow.id);
    if (execution === undefined) throw new Error('There is no execution');
    expect(more).toEqual([]);
    expect(execution.error).toBeUndefined();
    return execution;
  }

  const mail = {
    subject: 'New submission: Contact us',
    text: textLike(/^(?!.*Campaign).*Full name: Grace Hopper\n.*Message: Zoë <script> & "more"\n/s),
    html: textLike(/^(?!.*(Campaign|undefined|\[object)).*Zoë &lt;script&gt; &amp; &quot;more&quot;/s),
  };

  it('a new submission becomes an email, with every answer escaped in its table', async () => {
    expect(jsonOf(await submit('submission-to-email.json'), 'Send Email')).toEqual([mail]);
  }, 400_000);

  it('a new submission is posted to a chat, a line per answer, without mentions and hidden links', async () => {
    await submit('submission-to-chat.json');
    expect(posted).toEqual([
      {
        text: textLike(
          /^New submission: Contact us\n(.+\n)*Full name: Grace Hopper\n[^]*Message: Zoë ‹script> & "more"\n.*‹!channel>/,
        ),
      },
    ]);
    expect(JSON.stringify(posted)).not.toMatch(/[<@]|\]\(|\]:/);
  }, 400_000);

  const contactRow = {
    created_at: textLike(/^\d{4}-\d\d-\d\dT/),
    full_name: 'Grace Hopper',
    email_address: 'grace.hopper@example.org',
    phone: null,
    what_is_it_about: 'Sales',
    message,
    campaign: null,
  };

  it('a new submission becomes a row of a table with columns for the questions only, without any mapping', async () => {
    expect((await submit('submissions-to-data-table.json')).itemsOf('Add Row')).toHaveLength(1);
    const own = { id: 1, createdAt: textLike(/./), updatedAt: textLike(/./) };
    expect(await rowsOf('NeetoForm submissions')).toEqual([{ ...contactRow, ...own }]);
  }, 400_000);

  it('a response becomes a row in a table and an email', async () => {
    expect(jsonOf(await submit('response-to-table-and-mail.json'), 'Send Email')).toEqual([mail]);
    const submission_id = instance().emulator.workspace.submissions(instance().formId('Contact us')).at(-1)?.id;
    expect(await rowsOf('NeetoForm responses')).toMatchObject([{ ...contactRow, submission_id }]);
  }, 400_000);

  it('questions that are named like columns of n8n itself have columns that a table accepts', async () => {
    const { client, emulator, credential: neetoFormApi } = instance();
    const questions = ['createdAt', 'UpdatedAt', 'dryRunState', 'ID'].map((label) => ({ label }));
    const form = emulator.workspace.addForm({ title: 'Odd columns', questions });
    const answers = Object.fromEntries(form.questions.map(({ slug, label }) => [slug, `answer to ${label}`]));
    emulator.workspace.addSubmission(form.id, { answers });
    const names = ['created_at', 'createdat_2', 'updatedat_2', 'dryrunstate_2', 'id_2'];
    const table = { resource: 'table', operation: 'create', tableName: 'Odd columns', options: {} };
    const columns = { column: names.map((name) => ({ name, type: 'string' })) };
    const options = { answerNames: 'columnName', includeFormAndIds: false };
    const rows = { resource: 'submission', operation: 'getAll', formId: byId(form.id), output: 'row', options };
    const { id } = await client.createWorkflow(
      chain([
        startNode(),
        createNode('Create Table', 'n8n-nodes-base.dataTable', { ...table, columns }, 1.1),
        { ...createNode('Rows', 'n8n-nodes-neetoform.neetoForm', rows), credentials: { neetoFormApi } },
        createNode(
          'Add Row',
          'n8n-nodes-base.dataTable',
          {
            resource: 'row',
            operation: 'insert',
            dataTableId: { __rl: true, mode: 'name', value: 'Odd columns' },
            columns: { mappingMode: 'autoMapInputData', value: null },
            options: {},
          },
          1.1,
        ),
      ]),
    );
    expect(await client.run(id, START)).toMatchObject({ status: 'success' });
    expect(await rowsOf('Odd columns')).toMatchObject([
      {
        createdat_2: 'answer to createdAt',
        updatedat_2: 'answer to UpdatedAt',
        dryrunstate_2: 'answer to dryRunState',
        id_2: 'answer to ID',
      },
    ]);
  }, 400_000);
});
