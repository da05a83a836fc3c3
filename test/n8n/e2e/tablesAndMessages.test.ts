import { fastify } from 'fastify';
import type { INode, INodeParameters } from 'n8n-workflow';

import type { Execution } from '../../../n8n-runner/client.ts';
import { exampleTools, readExample } from './support/examples.ts';
import { textLike, useTestInstance } from './support/instance.ts';
import { startMailServer } from './support/mailServer.ts';
import { contactAnswers, submitForm } from './support/workflows.ts';

describe('the examples for tables and messages, with hostile answers', () => {
  const instance = useTestInstance();
  const { imported, executionsWith, rowsOf } = exampleTools(instance);
  const posted: unknown[] = [];
  const chat = fastify({ forceCloseConnections: true });
  let mails: string[];
  let addressees: Record<string, Partial<INode>>;
  beforeAll(async () => {
    const mailServer = await startMailServer();
    ({ mails } = mailServer);
    const smtp = await instance().client.createCredential(mailServer.credential);
    chat.post('/', async ({ body }) => void posted.push(body));
    const url = await chat.listen({ host: '127.0.0.1', port: 0 });
    addressees = { 'Send Email': { credentials: { smtp } }, 'Post Message': { parameters: { url } } };
  });
  afterAll(async () => await chat.close());

  /** What calls everybody in a channel, or hides an address behind other words. */
  const calls = '<!channel> <https://evil.example|Sign in> @here [Sign in](https://evil.example)';
  const message = `Zoë <script> & "more"\n${calls}\n[${calls}]: x`;

  /** The answers to questions that are named like columns that n8n's tables have already. */
  const taken = { createdAt: 'a', UpdatedAt: 'b', dryRunState: 'c', ID: 'd' };

  /** Publishes an example for a form, and submits the form. */
  async function submit(file: string, form = 'Contact us', changes: typeof addressees = {}): Promise<Execution> {
    const { client, emulator, formId, activate } = instance();
    const draft = imported(file, { ...addressees, ...changes }, form);
    const workflow = await activate(draft);
    if (draft.nodes.some(({ name }) => name === 'Run Once'))
      expect(await client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    await submitForm(`${emulator.url}/forms/${formId(form)}/attempt`, {
      ...contactAnswers,
      'type-a-question-2': message,
      ...taken,
    });
    const [execution, ...more] = await executionsWith(1, 'New Submission', workflow.id);
    if (execution === undefined) throw new Error('There is no execution');
    expect(more).toEqual([]);
    expect(execution.error).toBeUndefined();
    return execution;
  }

  /** The text, and then the table. */
  const mail = textLike(
    /^(?!.*(Campaign|undefined|\[object)).*\nSubject: New submission: Contact us\n.*Full name: Grace Hopper\n.*Message: Zoë <script> & "more"\n.*Zoë &lt;script&gt; &amp; &quot;more&quot;/s,
  );

  it('a new submission becomes an email, with every answer escaped in its table', async () => {
    await submit('submission-to-email.json');
    expect(mails.splice(0)).toEqual([mail]);
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

  it('a new submission becomes a row of a table with columns for the questions only, without any mapping, even for names that n8n has taken', async () => {
    const { emulator, formId } = instance();
    const { questions = [] } = emulator.workspace.form(formId('Contact us')) ?? {};
    const odd = Object.keys(taken).map((label) => ({ label, slug: label }));
    emulator.workspace.addForm({ title: 'Odd columns', questions: [...questions, ...odd] });
    const file = 'submissions-to-data-table.json';
    const example = readExample(file).nodes.find(({ name }) => name === 'Create Table');
    const { column } = example?.parameters['columns'] as { column: INodeParameters[] };
    const oddRow = { createdat_2: 'a', updatedat_2: 'b', dryrunstate_2: 'c', id_2: 'd' };
    const columns = { column: [...column, ...Object.keys(oddRow).map((name) => ({ name, type: 'string' }))] };

    const { itemsOf } = await submit(file, 'Odd columns', { 'Create Table': { parameters: { columns } } });
    expect(itemsOf('Add Row')).toHaveLength(1);
    const own = { id: 1, createdAt: textLike(/./), updatedAt: textLike(/./) };
    expect(await rowsOf('NeetoForm submissions')).toEqual([{ ...contactRow, ...oddRow, ...own }]);
  }, 400_000);

  it('a response becomes a row in a table and an email', async () => {
    await submit('response-to-table-and-mail.json');
    expect(mails.splice(0)).toEqual([mail]);
    const submission_id = instance().emulator.workspace.submissions(instance().formId('Contact us')).at(-1)?.id;
    expect(await rowsOf('NeetoForm responses')).toMatchObject([{ ...contactRow, submission_id }]);
  }, 400_000);
});
