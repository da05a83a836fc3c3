import { START, chain, createNode, startNode } from '../../../n8n-runner/workflow.ts';
import { OPERATIONS } from '../../support/operations';
import { credentialFor, startTimeoutMs } from '../e2e/support/instance.ts';
import { startMailServer } from '../e2e/support/mailServer.ts';
import { byId } from '../e2e/support/workflows.ts';
import type { Editor } from './support/editor.ts';
import { savePicture } from './support/pictures.ts';
import { type Stage, startStage } from './support/stage.ts';

const TRIGGERS = ['', ' in several forms', ' in the whole workspace'].map((where) => `On new submission${where}`);
const ACTIONS = OPERATIONS.map(({ action = '' }) => action);

describe('the panels of the nodes', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage('user');
    ({ editor } = stage);
  }, startTimeoutMs);
  afterAll(async () => await stage.stop());

  it.each(['neetoforms', 'customer feedback', 'form trigger', 'lead form', 'survey responses'])(
    'are found in the node panel by "%s"',
    async (words) => {
      await (await editor.searchNodes(words)).waitFor();
    },
  );

  it.each([...TRIGGERS, ...ACTIONS])('show "%s"', async (entry) => {
    await editor.add(entry);
    await stage.picture(entry.toLowerCase().replaceAll(' ', '-'));
  });

  it('offer the questions of the chosen form, and those of the next one', async () => {
    await editor.add('Get many submissions');
    await editor.addField('Add Option', 'Questions to Include');
    await stage.page.getByTestId('parameter-issues').hover();
    await stage.page
      .getByText("Choose a form in 'Form' to see its questions, or enter their labels with an expression")
      .waitFor();
    await editor.pickForm('Contact us');
    await editor.choose('questionsToInclude');
    await editor.option('Email address').waitFor();
    await stage.page.keyboard.press('Escape');
    await editor.pickForm('Empty form');
    await editor.choose('questionsToInclude');
    await editor.option('Your team').waitFor();
    expect(await editor.option('Email address').count()).toBe(0);
  });

  it('warn of IP addresses when the output is raw', async () => {
    await editor.add('Get many submissions');
    expect(await editor.output.getByText('IP address').count()).toBe(0);
    await editor.choose('output');
    await editor.option('Raw').click();
    await editor.output.getByText('IP address').waitFor();
  });

  it('let a field be dragged from a node that never ran', async () => {
    await editor.add('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.closePanel();
    await editor.addNext('Edit Fields');
    await stage.page.getByTestId('ndv-input-panel').getByText('created_at', { exact: true }).waitFor();
    await editor.dragFromInput('created_at', stage.page.getByTestId('assignment-collection-drop-area'));
    await editor.panel.getByText('{{ $json.created_at }}').waitFor();
  });

  it('let Send Email send the answers as a table, which a mail program shows', async () => {
    const { client, emulator, formId, page } = stage;
    const mailServer = await startMailServer();
    const credentials = {
      neetoFormApi: await client.createCredential(credentialFor(emulator)),
      smtp: await client.createCredential(mailServer.credential),
    };
    const newest = { formId: byId(formId('Contact us')), limit: 1, options: { addText: true } };
    const action = { resource: 'submission', operation: 'getAll', ...newest };
    const getMany = createNode('Get Many', 'n8n-nodes-neetoform.neetoForm', action);
    const mail = { fromEmail: 'forms@example.com', toEmail: 'team@example.com', subject: '={{ $json.form_title }}' };
    const html = { emailFormat: 'html', html: '={{ $json.html }}', options: { appendAttribution: false } };
    const send = createNode('Send Email', 'n8n-nodes-base.emailSend', { ...mail, ...html }, 2.1);
    const steps = [getMany, send].map((node) => ({ ...node, credentials }));
    const workflow = await client.createWorkflow(chain([startNode(), ...steps]));
    expect(await client.run(workflow.id, START)).toMatchObject({ status: 'success' });
    mailServer.close();

    const [received = ''] = mailServer.mails;
    const tab = await page.context().newPage();
    await tab.setViewportSize({ width: 640, height: 220 });
    await tab.setContent(received.slice(received.indexOf('\r\n\r\n')));
    const message = tab.getByRole('row').filter({ has: tab.getByRole('rowheader', { name: 'Message' }) });
    await message.getByText('Please call me back <after lunch> & bring numbers.').waitFor();
    await savePicture(tab, 'mail');
    await tab.close();
  });
});
