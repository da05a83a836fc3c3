import { Editor } from './support/editor.ts';
import { type Stage, startStage, startTimeoutMs } from './support/stage.ts';

const ACTIONS = [
  'Add team members',
  'Create a form',
  'Get a form',
  'Get many forms',
  'Get many submissions',
  'Get a team member',
  'Get many team members',
  'Remove a team member',
  'Remove team members by email',
  'Update a team member',
];

describe('the panels of the nodes', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage({ pictures: 'panels', isReady: true });
    editor = new Editor(stage.page, stage.n8n.url);
    await editor.login();
  }, startTimeoutMs);
  afterAll(async () => {
    try {
      await stage.picture('last-seen');
    } finally {
      await stage.stop();
    }
  });

  it.each(['neeto form', 'neetoforms', 'response', 'feedback', 'web form', 'new submission', 'lead form'])(
    'are found in the node panel by "%s"',
    async (words) => {
      const found = await editor.searchNodes(words);
      await found.filter({ hasText: 'NeetoForm' }).first().waitFor();
      await stage.picture(`search-${words.replace(' ', '-')}`);
    },
  );

  it('list what starts a workflow and what can be done', async () => {
    await editor.findNodeForNewWorkflow();
    for (const entry of [
      'On new submission',
      'On new submission in several forms',
      'On new submission in every active form',
    ])
      await stage.page.getByText(entry, { exact: true }).waitFor();
    await stage.page.getByText(/^Actions \(\d+\)$/).click();
    for (const action of ACTIONS) await stage.page.getByText(action, { exact: true }).waitFor();
    await stage.picture('node-details');
  });

  it.each(ACTIONS)('show "%s"', async (action) => {
    await editor.addAction(action);
    await stage.picture(`action-${action.toLowerCase().replaceAll(' ', '-')}`);
  });

  it.each(['On new submission', 'On new submission in several forms', 'On new submission in every active form'])(
    'show the trigger "%s"',
    async (entry) => {
      await editor.addTrigger(entry);
      await stage.picture(`trigger-${entry.toLowerCase().replaceAll(' ', '-')}`);
    },
  );
});
