import { setTimeout as sleep } from 'node:timers/promises';

import { startTimeoutMs, until } from '../e2e/support/instance.ts';
import { CredentialDialog, type Editor } from './support/editor.ts';
import { Recording } from './support/pictures.ts';
import { type Stage, startStage } from './support/stage.ts';

/** What a reader of docs/first-workflow.md does, one test per section. The steps become an animated picture. */
describe('from an installed package to the first row in a table', () => {
  let stage: Stage;
  let editor: Editor;
  const recording = new Recording();
  beforeAll(async () => {
    stage = await startStage('credential');
    ({ editor } = stage);
  }, startTimeoutMs);
  afterAll(async () => await stage.stop());

  it('creates the credential', async () => {
    const dialog = new CredentialDialog(stage.page);
    await editor.open('/home/credentials/create');
    await dialog.start('NeetoForm API');
    await dialog.fill({ subdomain: 'acme', apiKey: stage.emulator.apiKey, baseUrl: stage.emulator.url });
    await dialog.saveAndSucceed();
    await recording.frame(stage.page, 2);
    await dialog.close();
  });

  it('creates a table', async () => {
    await editor.createDataTable('Contacts', ['name', 'email', 'message']);
    await recording.frame(stage.page);
  });

  it('adds the trigger, which fetches the newest submission as a row', async () => {
    const { page } = stage;
    await editor.showTriggersAndActions();
    await recording.frame(page);
    await page.getByText('On new submission', { exact: true }).click();
    await editor.openList();
    await recording.frame(page);
    await editor.pickForm('Contact us');
    await editor.choose('output');
    await recording.frame(page);
    await editor.option('Row').filter({ hasText: 'One flat column' }).click();
    await editor.execute('1 item');
    await editor.output.getByText('Schema').click();
    await editor.output.getByText('lucas.silva@example.org').waitFor();
    await recording.frame(page, 2.5);
    await stage.picture('test-event');
    await editor.closePanel();
  });

  it('drags the answers into the columns, and inserts the test event', async () => {
    const { page } = stage;
    await editor.addNext('Data table', 'Insert row');
    await editor.pickForm('Contacts');
    for (const [question, column] of [
      ['Full name', 'name'],
      ['Email address', 'email'],
      ['Message', 'message'],
    ] as const) {
      await editor.dragFromInput(question, page.getByTestId(`parameter-input-${column}`));
      await page.getByTestId(`parameter-input-${column}`).getByText('{{').waitFor();
      await editor.unfocus();
      await recording.frame(page, 1);
    }
    await editor.execute('1 item');
    await page.getByTestId('node-execute-button').getByText('Execute step').waitFor();
    await recording.frame(page);
    await stage.picture('mapped');
    await editor.closePanel();
  });

  it('publishes the workflow, submits the form, and finds the row in the table', async () => {
    const { page, emulator } = stage;
    const formId = stage.formId('Contact us');
    const polls = () => emulator.requests.filter(({ path }) => path.endsWith(`/forms/${formId}/submissions`)).length;
    const before = polls();
    await editor.publish(async () => await recording.frame(page, 2.5));
    await until('the first poll', () => polls() > before);
    await editor.clickBesideNodes();
    await stage.picture('active');
    await editor.submitForm(`${emulator.url}/forms/${formId}/attempt`, async (tab) => await recording.frame(tab, 2));
    await page.getByTestId('radio-button-executions').click();
    const executions = page.locator('a[href*="/executions/"]').filter({ hasText: 'Succeeded' });
    await executions.nth(2).waitFor({ timeout: 100_000 });
    await executions.first().click();
    await page.getByTestId('execution-preview-host').getByTestId('canvas-node').first().waitFor();
    // The execution fades in.
    await sleep(2_000);
    await recording.frame(page, 2);

    await editor.open('/home/datatables');
    await page.getByText('Contacts').first().click();
    await page.getByText('grace.hopper@example.org').waitFor();
    await recording.frame(page, 4);
  }, 300_000);

  it('is shown by an animated picture that a README can load', async () => {
    expect(await recording.save('first-workflow')).toBeLessThan(1_500_000);
  });
});
