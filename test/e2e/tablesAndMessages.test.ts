import { fastify } from 'fastify';

import type { Credential, Execution } from '../../n8n-runner/client.ts';
import { exampleTools } from './support/examples.ts';
import { useTestInstance } from './support/instance.ts';
import { type MailServer, startMailServer } from './support/mail.ts';
import { textLike } from './support/matchers.ts';
import { contactAnswers, submitForm } from './support/workflows.ts';

describe('the examples for tables and messages', () => {
  const instance = useTestInstance();
  const { imported, executionsWith, rowsOf } = exampleTools(instance);

  it('a new submission becomes a row with the same columns whatever was skipped', async () => {
    const workflow = await instance().activate(imported('submissions-to-data-table.json', 'Contact us'));
    for (let run = 1; run <= 2; run++)
      expect(await instance().client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
    const attemptUrl = `${instance().emulator.url}/forms/${instance().formId('Contact us')}/attempt`;
    await submitForm(attemptUrl, contactAnswers);
    const phone = { 'phone-number[country]': 'United States', 'phone-number': '+1 212 555 0199' };
    await submitForm(attemptUrl, { ...contactAnswers, ...phone });

    const executions = await executionsWith(2, 'Add Row', workflow.id);
    expect(executions.map(({ error }) => error)).toEqual(executions.map(() => undefined));
    expect(await rowsOf('NeetoForm submissions')).toMatchObject([
      { ...contactRow, phone: null },
      { ...contactRow, phone: '+1 212 555 0199' },
    ]);
  }, 400_000);

  const contactRow = {
    submission_id: textLike(/^[0-9a-f-]{36}$/),
    created_at: textLike(/^\d{4}-\d\d-\d\dT/),
    full_name: 'Grace Hopper',
    email_address: 'grace.hopper@example.org',
    what_is_it_about: 'Sales',
    message: 'First line\nsecond line',
    campaign: null,
  };

  describe('with a mail server and a chat', () => {
    const received: unknown[] = [];
    const chat = fastify({ forceCloseConnections: true });
    let mails: MailServer;
    let smtp: Credential;
    let chatUrl: string;
    beforeAll(async () => {
      mails = await startMailServer();
      smtp = await instance().client.createCredential(mails.credential);
      chat.post('/', async ({ body }) => void received.push(body));
      chatUrl = await chat.listen({ host: '127.0.0.1', port: 0 });
    });
    afterAll(async () => {
      await chat.close();
      await mails.close();
    });

    const hostile = { ...contactAnswers, 'type-a-question-2': 'Zoë <script> & "more"\nsecond line' };

    /** Publishes an example for the form "Contact us" with the mail server and the chat, and submits the form. */
    async function submit(file: string): Promise<Execution[]> {
      const { emulator, formId } = instance();
      const draft = imported(file, 'Contact us');
      const nodes = draft.nodes.map((node) => {
        if (node.name === 'Send Email') return { ...node, credentials: { smtp } };
        return node.name === 'Post Message' ? { ...node, parameters: { ...node.parameters, url: chatUrl } } : node;
      });
      const workflow = await instance().activate({ ...draft, nodes });
      if (nodes.some(({ name }) => name === 'Run Once'))
        expect(await instance().client.run(workflow.id, 'Run Once')).toMatchObject({ status: 'success' });
      await submitForm(`${emulator.url}/forms/${formId('Contact us')}/attempt`, hostile);
      const executions = await executionsWith(1, 'New Submission', workflow.id);
      expect(executions.map(({ error }) => error)).toEqual([undefined]);
      return executions;
    }

    const expectMail = (mail: string | undefined) => {
      expect(mail).toContain('Subject: New submission: Contact us');
      expect(mail).toContain('Full name: Grace Hopper\n');
      expect(mail).toContain('Message: Zoë <script> & "more"');
      expect(mail).toContain('Zoë &lt;script&gt; &amp; &quot;more&quot;');
      expect(mail).not.toMatch(/Campaign|undefined|\[object/);
    };

    it('a new submission is sent as an email, with every answer escaped in its table', async () => {
      await submit('submission-to-email.json');
      expect(mails.messages()).toHaveLength(1);
      expectMail(mails.messages()[0]);
    }, 400_000);

    it('a new submission is posted to a chat, a line per answer', async () => {
      await submit('submission-to-chat.json');
      expect(received).toEqual([
        {
          text: textLike(
            /^New submission: Contact us\n(.+\n)*Full name: Grace Hopper\n[^]*Message: Zoë <script> & "more"\n/,
          ),
        },
      ]);
    }, 400_000);

    it('a response is saved in a table and sent by email', async () => {
      const before = mails.messages().length;
      await submit('response-to-table-and-mail.json');
      expect(mails.messages()).toHaveLength(before + 1);
      expectMail(mails.messages().at(-1));
      const rows = await rowsOf('NeetoForm submissions');
      expect(rows.at(-1)).toMatchObject({ ...contactRow, message: hostile['type-a-question-2'], phone: null });
    }, 400_000);
  });
});
