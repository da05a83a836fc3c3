import { join } from 'node:path';

import type { Credential } from '../../../n8n-runner/client.ts';
import { cacheFolder } from '../../../n8n-runner/paths.ts';
import { chain, neetoFormNode, startNode } from '../../../n8n-runner/workflow.ts';
import { OPERATIONS } from '../../support/operations';
import { credentialFor, startTimeoutMs } from '../e2e/support/instance.ts';
import { byId } from '../e2e/support/workflows.ts';
import type { Editor } from './support/editor.ts';
import { type Stage, startStage } from './support/stage.ts';

const TRIGGERS = ['', ' in several forms', ' in the whole workspace'].map((where) => `On new submission${where}`);
const ACTIONS = OPERATIONS.map(({ action = '' }) => action);

describe('the panels of the nodes', () => {
  let stage: Stage;
  let editor: Editor;
  let neetoFormApi: Credential;
  beforeAll(async () => {
    stage = await startStage();
    ({ editor } = stage);
    neetoFormApi = await stage.client.createCredential(credentialFor(stage.emulator));
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

  it('let a field be dragged from a node that never ran', async () => {
    await editor.add('Get many submissions');
    await editor.openList();
    await stage.picture('form-list');
    await editor.pickForm('Contact us');
    await editor.closePanel();
    await editor.addNext('Edit Fields');
    await stage.page.getByTestId('ndv-input-panel').getByText('created_at', { exact: true }).waitFor();
    await editor.dragFromInput('created_at', stage.page.getByTestId('assignment-collection-drop-area'));
    await editor.panel.getByText('{{ $json.created_at }}').waitFor();
  });

  it('offer the questions of the chosen form, and those of the next one', async () => {
    stage.emulator.workspace.addForm({ title: 'Empty form', questions: [{ label: 'Your team' }] });
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

  it('make a table for mails that shows every answer as text, and runs none of them', async () => {
    const { emulator, page } = stage;
    const hostile = `<script>document.title = 'owned'</script><img src="x" onerror="document.title = 'owned'">`;
    const form = emulator.workspace.addForm({ title: 'Mail', questions: [{ label: 'Name' }, { label: 'Message' }] });
    emulator.workspace.addSubmission(form.id, { answers: { name: 'Zoë', message: `${hostile}\nSecond line` } });
    const parameters = {
      resource: 'submission',
      operation: 'getAll',
      formId: byId(form.id),
      options: { addText: true },
    };
    const { itemsOf } = await stage.run(chain([startNode(), neetoFormNode(neetoFormApi, parameters)]));
    const [item] = itemsOf('NeetoForm');
    await page.goto('about:blank');
    await page.setContent(String(item?.json['html']));
    expect(await page.locator('tr').allInnerTexts()).toEqual(['Name\tZoë', `Message\t${hostile}\nSecond line`]);
    expect(await page.locator('script, img').count()).toBe(0);
    expect(await page.title()).toBe('');
    await page.screenshot({ path: join(cacheFolder, 'ui', 'mail.png') });
  });
});
