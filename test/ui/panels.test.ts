import { Editor } from './support/editor.ts';
import { type Stage, startStage, startTimeoutMs } from './support/stage.ts';

const ACTIONS = [
  'Add team members',
  'Count submissions',
  'Create form',
  'Get form',
  'Get many forms',
  'Get many submissions',
  'Get team member',
  'Get many team members',
  'Remove team member',
  'Remove team members by email',
  'Update team member',
];

describe('the panels of the nodes', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage({ pictures: 'panels', has: 'package and credential' });
    editor = new Editor(stage.page, stage.n8n.url);
    await editor.login();
  }, startTimeoutMs);
  afterAll(async () => {
    await stage.stop();
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

  it('offer the questions of the chosen form, and those of the next one', async () => {
    await editor.addAction('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.addField('Add Option', 'Questions to Include');
    await editor.choose('questions');
    await editor.option('Email address').waitFor();
    await stage.picture('questions');
    await stage.page.keyboard.press('Escape');
    await editor.pickForm('Empty form');
    await editor.choose('questions');
    await editor.option('Your team').waitFor();
    expect(await editor.option('Email address').count()).toBe(0);
  });

  it('offer forms by their titles, and mark archived ones and drafts', async () => {
    await editor.addAction('Get form');
    await editor.searchList('e');
    await editor.listEntries.filter({ hasText: 'Event feedback (draft)' }).waitFor();
    await editor.searchList('(');
    await editor.searchList('');
    await editor.listEntries.filter({ hasText: 'Contact us' }).waitFor();
    await stage.picture('forms');
  });

  describe('on a tall screen', () => {
    beforeAll(async () => await stage.page.setViewportSize({ width: 1280, height: 1700 }));
    afterAll(async () => await stage.page.setViewportSize({ width: 1280, height: 800 }));

    it.each([
      ['Get many submissions', ['Add Filter', 'Add Option', 'Add Sort']],
      ['Get many forms', ['Add Filter', 'Add Sort']],
      ['Add team members', ['Add Field']],
      ['Update team member', ['Add Field']],
    ])('show every field of "%s"', async (action, collections) => {
      await editor.addAction(action);
      // The questions to choose from are those of the form.
      if (action.includes('submissions')) await editor.pickForm('Contact us');
      for (const collection of collections) await editor.addAllFields(collection);
      await stage.picture(`all-fields-${action.toLowerCase().replaceAll(' ', '-')}`);
    });

    it('show every field of the trigger', async () => {
      await editor.addTrigger('On new submission');
      await editor.pickForm('Contact us');
      await editor.addAllFields('Add Option');
      await stage.picture('all-fields-trigger');
    });
  });

  it('warn of IP addresses when the output is raw, before the step runs', async () => {
    await editor.addAction('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.choose('output');
    await stage.picture('outputs');
    await editor.option('Raw').click();
    await editor.output.getByText('IP address').waitFor();
    await stage.picture('raw');
  });

  it('let a field be dragged from a node that never ran', async () => {
    await editor.addAction('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.closePanel();
    await editor.addNext('Edit Fields', { keepOpen: true });
    await stage.page.getByTestId('ndv-input-panel').getByText('created_at', { exact: true }).waitFor();
    await stage.picture('preview');
    await editor.dragFromInput('created_at', stage.page.getByTestId('assignment-collection-drop-area'));
    await editor.panel.getByText('{{ $json.created_at }}').waitFor();
    await stage.picture('dragged');
  });

  it("show a flat row per submission in n8n's table", async () => {
    await editor.addAction('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.choose('output');
    await editor.option('One flat column').click();
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output.getByText('35 items').waitFor();
    await editor.output.getByText('Table', { exact: true }).click();
    await editor.output.getByText('Email address', { exact: true }).first().waitFor();
    await stage.picture('rows');
  });

  it('offer the roles of the workspace, and time zones by name', async () => {
    await editor.addAction('Update team member');
    await editor.addField('Add Field', 'Organization Role');
    await editor.choose('organizationRole');
    await editor.option('Reviewer').waitFor();
    await stage.picture('roles');
    await editor.option('Editor').click();
    await editor.addField('Add Field', 'Time Zone');
    await editor.choose('timeZone');
    await editor.filterOptions('timeZone', 'kolkata');
    await editor.option('Asia/Kolkata').waitFor();
    await stage.picture('time-zones');
  });

  it('take a member from the list of active ones, or by the email address', async () => {
    await editor.addAction('Get team member');
    await editor.openList();
    await editor.listEntries.filter({ hasText: 'Grace Okafor' }).waitFor();
    await stage.picture('members');
    await stage.page.keyboard.press('Escape');
    await editor.nameBy('By Email', 'teamMemberId', 'grace.okafor@example.com');
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output.getByText('1 item').waitFor();
    await stage.picture('member-by-email');
  });

  it('say which value is wrong, without an error code of the service', async () => {
    await editor.addAction('Add team members');
    await editor.type('emails', 'jane@');
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output
      .getByText(/'Emails' .*not an email address: jane@/)
      .first()
      .waitFor();
    expect(await editor.output.getByText(/Error code/).count()).toBe(0);
    await stage.picture('wrong-address');
  });

  it('show a sample of a form without submissions, marked as one', async () => {
    await editor.addTrigger('On new submission');
    await editor.pickForm('Empty form');
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output.getByText('1 item').waitFor();
    await editor.output.getByText('Your team').first().waitFor();
    await editor.output
      .getByText(/sample/i)
      .first()
      .waitFor();
    await stage.picture('sample');
  });

  it('say that questions can be chosen once there is a form', async () => {
    await editor.addAction('Get many submissions');
    await editor.addField('Add Option', 'Questions to Include');
    await stage.page.getByTestId('parameter-issues').hover();
    await stage.page.getByText("Choose a form in 'Form' to see its questions").waitFor();
  });

  it.each([
    ['refuses the key', { status: 401 }, "Check the credential's 'API Key'"],
    ['limits the rate', { status: 429, headers: { 'retry-after': '3600' } }, 'Run the workflow less often'],
    ['is down', { status: 503 }, 'Nothing is wrong on your side'],
    ['breaks the connection', { reset: true } as const, 'The connection'],
  ])('say what to do when the service %s', async (what, effect, message) => {
    await editor.addAction('Get many forms');
    const heal = stage.emulator.fail({ when: { every: 1 }, with: effect });
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output.getByText(message).first().waitFor();
    await stage.picture(`service-${what.replaceAll(' ', '-')}`);
    heal();
  });

  it('say in the list why there are no forms to choose from', async () => {
    await editor.addAction('Get form');
    const heal = stage.emulator.fail({ when: { every: 1 }, with: { status: 401, body: { error: 'Unauthorized' } } });
    await stage.page.getByTestId('rlc-input').click();
    await stage.page.getByTestId('rlc-error-container').waitFor();
    await stage.picture('forms-refused');
    heal();
  });

  it('say in the list that no form has the words of a search', async () => {
    await editor.addAction('Get form');
    await editor.searchList('no form is called this');
    await stage.page.getByText('No results').waitFor();
    await stage.picture('forms-none');
  });

  it('say what is wrong with a form that does not exist', async () => {
    await editor.addAction('Get form');
    await editor.nameBy('By ID', 'formId', '2d1f0c4e-8b7a-4c39-9a53-3c8f5b1e7d20');
    await stage.page.getByTestId('node-execute-button').click();
    await editor.output
      .getByText(/Form not found|Form does not exist/)
      .first()
      .waitFor();
    await stage.picture('form-not-found');
  });
});
