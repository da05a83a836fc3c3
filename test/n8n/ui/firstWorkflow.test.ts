import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { startTimeoutMs, until } from '../e2e/support/instance.ts';
import { type LocalRegistry, startLocalRegistry } from '../published/support/registry.ts';
import type { Editor } from './support/editor.ts';
import { type Stage, closedProxy, startStage } from './support/stage.ts';

/** What a new user does with README and docs/first-workflow.md: each test continues where the one before ended. */
describe('from the installation to the first row in a table', () => {
  let registry: LocalRegistry;
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    registry = await startLocalRegistry();
    // Without a license for another registry, n8n names npm's own in each command. The last one counts.
    const path = process.env['PATH'] ?? '';
    const npm = `#!/bin/sh\nPATH='${path}' exec npm "$@" --registry='${registry.url}'\n`;
    await writeFile(join(registry.home, 'npm'), npm, { mode: 0o755 });
    const env = {
      PATH: [registry.home, dirname(process.execPath), path].join(delimiter),
      HTTPS_PROXY: closedProxy,
      HTTP_PROXY: closedProxy,
      NO_PROXY: '127.0.0.1,localhost',
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    };
    stage = await startStage({ env, install: async () => undefined });
    ({ editor } = stage);
  }, startTimeoutMs);
  afterAll(async () => {
    await stage.stop();
    await registry.close();
  });

  it('installs the package from the settings, once the risks are accepted, and finds it at once', async () => {
    const { page } = stage;
    await editor.open('/settings/community-nodes');
    await page.getByRole('button', { name: 'Install a community node' }).click();
    const dialog = page.getByRole('dialog');
    const install = dialog.getByRole('button', { name: 'Install' });
    await dialog.getByPlaceholder(/n8n-nodes/).fill('n8n-nodes-neetoform');
    expect(await install.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'I understand the risks of installing unverified code' }).click();

    await install.click();
    await page.getByRole('alert').filter({ hasText: 'Package installed' }).waitFor();
    await page.getByTestId('community-package-card').getByText('2 nodes').waitFor();
    await editor.showTriggersAndActions();
  });

  it('sees that the key is wrong, and then that the connection works', async () => {
    const { page, emulator } = stage;
    await editor.open('/home/credentials/create');
    await page.getByTestId('new-credential-type-select').locator('input').fill('NeetoForm API');
    await page.getByTestId('new-credential-type-select-option').filter({ hasText: 'NeetoForm API' }).first().click();
    await page.getByTestId('new-credential-type-button').click();
    const dialog = page.getByTestId('editCredential-modal');
    await dialog.getByText("The first part of your workspace's address: acme for https://acme.neetoform.com").waitFor();
    expect(await dialog.getByText('Allowed HTTP Request Domains').count()).toBe(0);
    const enter = async (field: string, value: string) =>
      await dialog.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
    // Saving also tests the credential.
    const save = dialog.getByTestId('credential-save-button').locator('button');

    await enter('subdomain', 'acme');
    await enter('apiKey', 'of-another-workspace');
    await enter('baseUrl', emulator.url);
    await save.click();
    await dialog.getByText('More details').filter({ visible: true }).click();
    await dialog.getByText("The workspace refused the API key. Check 'API Key'").filter({ visible: true }).waitFor();
    await enter('apiKey', emulator.apiKey);
    await save.click();
    await dialog.getByTestId('credentials-config-container-test-success').waitFor();
    await stage.picture('credential-good');
  });

  it('creates a table', async () => {
    const { page } = stage;
    await editor.open('/home/datatables');
    await page.getByRole('button', { name: 'Create data table' }).last().click();
    await page.getByTestId('data-table-name-input-select').fill('Contacts');
    await page.getByTestId('proceed-from-select-button').click();
    for (const column of ['name', 'email', 'message']) {
      await page.getByTestId('data-table-add-column-trigger-button').first().click();
      await page.getByTestId('add-column-name-input').fill(column);
      await page.getByTestId('data-table-add-column-submit-button').click();
      await page.getByTestId('data-table-column-header-text').filter({ hasText: column }).waitFor();
    }
  });

  it('adds the trigger, which fetches the newest submission as a row', async () => {
    const { page } = stage;
    await editor.showTriggersAndActions();
    await page.getByText('On new submission', { exact: true }).click();
    await editor.openList();
    await editor.pickForm('Contact us');
    await editor.execute('1 item');
    await editor.output.getByText('Schema').click();
    await editor.output.getByText('lucas.silva@example.org').waitFor();
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
      // Leaves the field, so that no help covers the others.
      await editor.panel.getByText('Parameters', { exact: true }).click();
    }
    await editor.execute('1 item');
    await page.getByTestId('node-execute-button').getByText('Execute step').waitFor();
    await stage.picture('mapped');
    await editor.closePanel();
  });

  it('publishes the workflow, submits the form, and finds the row in the table', async () => {
    const { page, emulator } = stage;
    const formId = stage.formId('Contact us');
    const polls = () => emulator.requests.filter(({ path }) => path.endsWith(`/forms/${formId}/submissions`)).length;
    const before = polls();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await page.getByText('New submissions now start this workflow').waitFor();
    await page.getByRole('button', { name: 'Got it' }).click();
    await until('the first poll', () => polls() > before);
    // Deselects the node that was used last.
    await page.getByTestId('canvas-wrapper').click({ position: { x: 300, y: 560 } });
    await stage.picture('active');

    // The arrow beside Form opens the form.
    await page.getByTestId('canvas-node').filter({ hasText: 'NeetoForm Trigger' }).dblclick();
    const opened = page.context().waitForEvent('page');
    await page.getByTestId('rlc-open-resource-link').click();
    const tab = await opened;
    expect(tab.url()).toBe(`${emulator.url}/forms/${formId}/attempt`);
    await tab.getByLabel('First name').fill('Grace');
    await tab.getByLabel('Last name').fill('Hopper');
    await tab.getByLabel('Email address').fill('grace.hopper@example.org');
    await tab.getByLabel('What is it about?').selectOption('Support');
    await tab.getByLabel('Message').fill('There is a moth in my relay.');
    await tab.getByRole('button', { name: 'Submit' }).click();
    await tab.getByRole('status').waitFor();
    await tab.close();
    await editor.closePanel();

    await page.getByTestId('radio-button-executions').click();
    const executions = page.locator('a[href*="/executions/"]').filter({ hasText: 'Succeeded' });
    await executions.nth(2).waitFor({ timeout: 100_000 });
    await executions.first().click();
    await page.getByTestId('execution-preview-host').getByTestId('canvas-node').first().waitFor();

    await editor.open('/home/datatables');
    await page.getByText('Contacts').first().click();
    await page.getByText('grace.hopper@example.org').waitFor();
  }, 300_000);
});
