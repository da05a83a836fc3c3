import { OPERATIONS } from '../../support/operations';
import { credentialFor, startTimeoutMs } from '../e2e/support/instance.ts';
import type { Editor } from './support/editor.ts';
import { type Stage, startStage } from './support/stage.ts';

const TRIGGERS = ['', ' in several forms', ' in the whole workspace'].map((where) => `On new submission${where}`);
const ACTIONS = OPERATIONS.map(({ action = '' }) => action);

describe('the panels of the nodes', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage();
    ({ editor } = stage);
    await stage.client.createCredential(credentialFor(stage.emulator));
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
});
