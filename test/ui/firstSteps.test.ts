import { setTimeout as sleep } from 'node:timers/promises';

import { version } from '../../package.json';
import { CredentialDialog, Editor } from './support/editor.ts';
import { type Stage, startStage, startTimeoutMs } from './support/stage.ts';

/** Each test continues where the one before ended, as a new user does. */
describe('a new user with the README and a browser', () => {
  let stage: Stage;
  let editor: Editor;
  let formId: string;
  beforeAll(async () => {
    stage = await startStage({ pictures: 'first-steps' });
    editor = new Editor(stage.page, stage.n8n.url);
    formId = idOf('Contact us');
    await editor.login();
  }, startTimeoutMs);
  afterAll(async () => {
    await stage.stop();
  });

  it('installs the package from the settings, once the risks are accepted, and finds it at once', async () => {
    const { page } = stage;
    await editor.open('/settings/community-nodes');
    await page.getByRole('button', { name: 'Install a community node' }).click();
    const dialog = page.getByRole('dialog');
    const install = dialog.getByRole('button', { name: 'Install' });
    await dialog.getByPlaceholder(/n8n-nodes/).fill('n8n-nodes-neetoform');
    expect(await install.isDisabled()).toBe(true);
    await dialog
      .getByRole('checkbox', { name: 'I understand the risks of installing unverified code from a public source' })
      .click();
    await stage.picture('install');

    await install.click();
    await page.getByRole('alert').filter({ hasText: 'Package installed' }).waitFor();
    const card = page.getByTestId('community-package-card');
    await card.getByText('n8n-nodes-neetoform').waitFor();
    await card.getByText('2 nodes').waitFor();
    await stage.picture('installed');
    expect(stage.registry.requests).toContain(`/n8n-nodes-neetoform/-/n8n-nodes-neetoform-${version}.tgz`);
    await findBothNodes();
  });

  it('uninstalls it there, installs it with npm instead, and finds it after a restart', async () => {
    const { page } = stage;
    await editor.open('/settings/community-nodes');
    await page.getByTestId('community-package-card').getByTestId('action-toggle').click();
    await stage.picture('package-menu');
    await page.getByText('Uninstall package').click();
    await stage.picture('uninstall');
    await page.getByRole('button', { name: 'Confirm uninstall' }).click();
    await page.getByRole('alert').filter({ hasText: 'Package uninstalled' }).waitFor();

    await stage.npmInNodesFolder('install', '--legacy-peer-deps', 'n8n-nodes-neetoform');
    await stage.n8n.restart();
    await findBothNodes();
    await stage.picture('node-details');
  });

  async function findBothNodes(): Promise<void> {
    const { page } = stage;
    await editor.findNodeForNewWorkflow();
    await page.getByText('Triggers (3)').waitFor();
    await page.getByText('On new submission', { exact: true }).waitFor();
    await page.getByText(/^Actions \(\d+\)$/).click();
    await page.getByText('Get many submissions').waitFor();
  }

  it('sees what is wrong with the key and the address, and then that the connection works', async () => {
    const dialog = new CredentialDialog(stage.page);
    await editor.open('/home/credentials/create');
    await dialog.start('NeetoForm API');
    await dialog.text("The first part of your workspace's address: acme for https://acme.neetoform.com").waitFor();
    expect(await dialog.text('Allowed HTTP Request Domains').count()).toBe(0);
    await stage.picture('credential-empty');

    await dialog.fill({ subdomain: 'acme', apiKey: 'of-another-workspace', baseUrl: stage.emulator.url });
    await dialog.saveAndSee(/The workspace refused the API key\. Check 'API Key'/);
    await stage.picture('credential-wrong-key');

    await dialog.fill({ apiKey: stage.emulator.apiKey, subdomain: 'acme.example.com', baseUrl: '' });
    await dialog.saveAndSee(/'Subdomain' is not a NeetoForm workspace: "acme\.example\.com"/);
    await stage.picture('credential-wrong-subdomain');

    const heal = stage.emulator.fail({
      with: { status: 404, body: '<h1>Not found</h1>', headers: { 'content-type': 'text/html' } },
    });
    await dialog.fill({ subdomain: 'acne', baseUrl: stage.emulator.url });
    await dialog.saveAndSee(/No NeetoForm workspace answers at this address/);
    await stage.picture('credential-no-workspace');
    heal();

    await dialog.fill({ baseUrl: 'http://127.0.0.1:1' });
    await dialog.saveAndSee(/ECONNREFUSED/);
    await stage.picture('credential-offline');

    await dialog.fill({ subdomain: 'acme', baseUrl: stage.emulator.url });
    await dialog.saveAndSucceed();
    await stage.picture('credential-good');
    await dialog.close();
  });

  it('picks a form among 250, by scrolling or by searching', async () => {
    const { page } = stage;
    await editor.findNodeForNewWorkflow();
    await page.getByText(/^Actions \(\d+\)$/).click();
    await page.getByText('Get many submissions').click();
    await editor.openList();
    expect(await editor.listEntries.count()).toBe(100);
    await stage.picture('form-list');

    while ((await editor.listEntries.count()) < 250) {
      await editor.listEntries.last().scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 2_000);
      await sleep(100);
    }
    expect(new Set(await editor.listEntries.allInnerTexts())).toHaveProperty('size', 250);

    await editor.searchList('up 199 work');
    await editor.listEntries.filter({ hasText: 'Workshop 199' }).waitFor();
    expect(await editor.listEntries.count()).toBe(1);
    await stage.picture('form-search');
    await editor.pickForm('Contact us');
  });

  it('runs the step and sees its items', async () => {
    const { page } = stage;
    await page.getByTestId('node-execute-button').click();
    await editor.output.getByText('35 items').waitFor();
    await editor.output.getByText('mia.weber@example.org').first().waitFor();
    await stage.picture('step');
    await editor.closePanel();
    await stage.picture('step-on-canvas');
  });

  it('picks several forms for one trigger, and sees the newest submission of them', async () => {
    const { page, emulator } = stage;
    await editor.findNodeForNewWorkflow();
    await page.getByText('On new submission', { exact: true }).click();
    await editor.choose('watch');
    await stage.picture('watch');
    await editor.option('Several Forms').click();
    await editor.choose('formIds');
    await editor.option('Contact us').click();
    await stage.picture('several-list');
    await editor.filterOptions('formIds', 'workshop 199');
    await stage.picture('several-search');
    await editor.option('Workshop 199').click();
    await page.keyboard.press('Escape');

    await page.getByTestId('node-execute-button').click();
    await editor.output.getByText('1 item').waitFor();
    await editor.output.getByText('Schema').click();
    await editor.output.getByText(formId).waitFor();
    await editor.output.getByText('lucas.silva@example.org').waitFor();
    await stage.picture('several');
    const asked = emulator.requests.flatMap(({ path }) => /forms\/([^/]+)\/submissions$/.exec(path)?.[1] ?? []);
    expect(asked.slice(-2).sort()).toEqual([formId, idOf('Workshop 199: sign-up')].sort());
    await editor.closePanel();
  });

  it('sees a real submission with its answers by question as a test event', async () => {
    const { page } = stage;
    await editor.findNodeForNewWorkflow();
    await page.getByText('On new submission', { exact: true }).click();
    await editor.pickForm('Contact us');
    await page.getByTestId('node-execute-button').click();
    await editor.output.getByText('1 item').waitFor();
    await editor.output.getByText('Schema').click();
    for (const text of ['answers', 'Email address', 'lucas.silva@example.org', 'What is it about?', 'Sales']) {
      await editor.output.getByText(text, { exact: true }).first().waitFor();
    }
    await stage.picture('trigger');
    await editor.closePanel();
    await editor.addNext('Edit Fields');
  });

  it('publishes the workflow, fills in the form in another tab, and sees the execution with its item', async () => {
    const { page, emulator } = stage;
    const polls = () => emulator.requests.filter(({ path }) => path.endsWith(`/forms/${formId}/submissions`)).length;
    const before = polls();
    await editor.publish(async () => await stage.picture('published'));
    while (polls() === before) await sleep(200);

    await editor.clickBesideNodes();
    await stage.picture('active');

    await editor.submitForm(attemptUrl(), {
      firstName: 'Grace',
      lastName: 'Hopper',
      message: 'There is a moth in my relay.',
    });
    await page.getByTestId('radio-button-executions').click();
    const executions = page.locator('a[href*="/executions/"]').filter({ hasText: 'Succeeded' });
    // The older one is the test event.
    await executions.nth(1).waitFor({ timeout: 100_000 });
    await executions.first().click();
    const trigger = page
      .getByTestId('execution-preview-host')
      .getByTestId('canvas-node')
      .filter({ hasText: 'NeetoForm Trigger' });
    await trigger.waitFor();
    await stage.picture('execution');
    await trigger.dblclick();
    await page.getByText('grace.hopper@example.org').first().waitFor();
    await stage.picture('execution-item');
    await page.getByTestId('ndv-close-button').click();
  }, 300_000);

  it('publishes again after a pause, and the submission that arrived meanwhile starts the workflow, the older ones do not', async () => {
    const { page } = stage;
    await page.getByTestId('radio-button-workflow').click();
    await editor.unpublish();
    await stage.picture('unpublished');
    await editor.submitForm(attemptUrl(), {
      firstName: 'Katherine',
      lastName: 'Johnson',
      message: 'Check the numbers.',
    });
    await editor.publish(async () => await stage.picture('published-again'));

    await page.getByTestId('radio-button-executions').click();
    const executions = page.locator('a[href*="/executions/"]').filter({ hasText: 'Succeeded' });
    await executions.nth(2).waitFor({ timeout: 100_000 });
    await executions.first().click();
    await page
      .getByTestId('execution-preview-host')
      .getByTestId('canvas-node')
      .filter({ hasText: 'NeetoForm Trigger' })
      .dblclick();
    await page.getByText('katherine.johnson@example.org').first().waitFor();
    await editor.output.getByText('1 item').waitFor();
    await stage.picture('execution-after-pause');
    expect(await executions.count()).toBe(3);
  }, 300_000);

  function idOf(wanted: string): string {
    return stage.emulator.workspace.forms.find(({ title }) => title === wanted)?.id ?? '';
  }

  function attemptUrl(): string {
    return `${stage.emulator.url}/forms/${formId}/attempt`;
  }
});
