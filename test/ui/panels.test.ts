import { startTimeoutMs } from '../e2e/support/instance.ts';
import type { Editor } from './support/editor.ts';
import { type Stage, startStage } from './support/stage.ts';

const TRIGGERS = ['On new submission', 'On new submission in several forms', 'On new submission in every active form'];
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
    stage = await startStage('panels');
    ({ editor } = stage);
  }, startTimeoutMs);
  afterEach(() => stage.emulator.reset());
  afterAll(async () => await stage.stop());

  it.each(['neeto form', 'neetoforms', 'response', 'feedback', 'web form', 'new submission', 'lead form'])(
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
    await stage.page.getByText("Choose a form in 'Form' to see its questions").waitFor();
    await editor.pickForm('Contact us');
    await editor.choose('questions');
    await editor.option('Email address').waitFor();
    await stage.picture('questions');
    await stage.page.keyboard.press('Escape');
    await editor.pickForm('Empty form');
    await editor.choose('questions');
    await editor.option('Your team').waitFor();
    expect(await editor.option('Email address').count()).toBe(0);
  });

  it('offer forms by their titles, and mark drafts', async () => {
    await editor.add('Get form');
    await editor.searchList('e');
    await editor.listEntries.filter({ hasText: 'Event feedback (draft)' }).waitFor();
    await stage.picture('forms');
  });

  it("warn of IP addresses when the output is raw, and show a flat row per submission in n8n's table", async () => {
    await editor.add('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.choose('output');
    await editor.option('Raw').click();
    await editor.output.getByText('IP address').waitFor();
    await stage.picture('raw');
    await editor.choose('output');
    await editor.option('One flat column').click();
    await editor.execute('35 items');
    await editor.output.getByText('Table', { exact: true }).click();
    await editor.output.getByText('Email address', { exact: true }).first().waitFor();
    await stage.picture('rows');
  });

  it('let a field be dragged from a node that never ran', async () => {
    await editor.add('Get many submissions');
    await editor.pickForm('Contact us');
    await editor.closePanel();
    await editor.addNext('Edit Fields');
    await stage.page.getByTestId('ndv-input-panel').getByText('created_at', { exact: true }).waitFor();
    await editor.dragFromInput('created_at', stage.page.getByTestId('assignment-collection-drop-area'));
    await editor.panel.getByText('{{ $json.created_at }}').waitFor();
    await stage.picture('dragged');
  });

  it('offer the roles of the workspace, and time zones by name', async () => {
    await editor.add('Update team member');
    await editor.addField('Add Field', 'Organization Role');
    await editor.choose('organizationRole');
    await editor.option('Editor').click();
    await editor.addField('Add Field', 'Time Zone');
    await editor.choose('timeZone');
    await editor.filterOptions('timeZone', 'kolkata');
    await editor.option('Asia/Kolkata').waitFor();
    await stage.picture('time-zones');
  });

  it('take a member from the list of active ones, or by the email address', async () => {
    await editor.add('Get team member');
    await editor.openList();
    await editor.listEntries.filter({ hasText: 'Grace Okafor' }).waitFor();
    await stage.picture('members');
    await stage.page.keyboard.press('Escape');
    await editor.nameBy('By Email', 'teamMemberId', 'grace.okafor@example.com');
    await editor.execute('1 item');
  });

  it('show a sample of a form without submissions, marked as one', async () => {
    await editor.add('On new submission');
    await editor.pickForm('Empty form');
    await editor.execute('1 item');
    await editor.output.getByText('Your team').first().waitFor();
    await editor.output
      .getByText(/sample/i)
      .first()
      .waitFor();
    await stage.picture('sample');
  });

  it('say which value is wrong, without an error code of the service', async () => {
    await editor.add('Add team members');
    await editor.type('emails', 'jane@');
    await editor.execute(/'Emails' .*not an email address: jane@/);
    expect(await editor.output.getByText(/Error code/).count()).toBe(0);
    await stage.picture('wrong-address');
  });

  it('say what to do when the service refuses the key, in the list and after a run', async () => {
    stage.emulator.fail({ when: { every: 1 }, with: { status: 401, body: { error: 'Unauthorized' } } });
    await editor.add('Get form');
    await stage.page.getByTestId('rlc-input').click();
    await stage.page.getByTestId('rlc-error-container').waitFor();
    await stage.picture('forms-refused');
    await editor.add('Get many forms');
    await editor.execute("Check the credential's 'API Key'");
    await stage.picture('key-refused');
  });
});
