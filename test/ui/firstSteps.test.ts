import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { runNpm } from '../../n8n-runner/process.ts';
import { version } from '../../package.json';
import { startTimeoutMs } from '../e2e/support/instance.ts';
import { CredentialDialog, type Editor } from './support/editor.ts';
import { type Stage, startStage } from './support/stage.ts';

/** Each test continues where the one before ended, as a new user does. */
describe('a new user with the README and a browser', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage('package');
    ({ editor } = stage);
  }, startTimeoutMs);
  afterAll(async () => await stage.stop());

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
    expect(stage.registryRequests).toContain(`/n8n-nodes-neetoform/-/n8n-nodes-neetoform-${version}.tgz`);
    await editor.showTriggersAndActions();
  });

  it('uninstalls it there, installs it with npm instead, and finds it after a restart', async () => {
    const { page } = stage;
    await editor.open('/settings/community-nodes');
    await page.getByTestId('community-package-card').getByTestId('action-toggle').click();
    await page.getByText('Uninstall package').click();
    await page.getByRole('button', { name: 'Confirm uninstall' }).click();
    await page.getByRole('alert').filter({ hasText: 'Package uninstalled' }).waitFor();

    const nodesFolder = join(stage.n8n.userFolder, '.n8n', 'nodes');
    await runNpm(['install', '--legacy-peer-deps', 'n8n-nodes-neetoform'], nodesFolder, stage.env);
    await stage.n8n.restart();
    await editor.showTriggersAndActions();
  });

  it('sees that the key is wrong, and then that the connection works', async () => {
    const dialog = new CredentialDialog(stage.page);
    const { apiKey, url: baseUrl } = stage.emulator;
    await editor.open('/home/credentials/create');
    await dialog.start('NeetoForm API');
    await dialog.text("The first part of your workspace's address: acme for https://acme.neetoform.com").waitFor();
    expect(await dialog.text('Allowed HTTP Request Domains').count()).toBe(0);
    await dialog.fill({ subdomain: 'acme', apiKey: 'of-another-workspace', baseUrl });
    await dialog.saveAndSee(/The workspace refused the API key\. Check 'API Key'/);
    await dialog.fill({ apiKey });
    await dialog.saveAndSucceed();
    await stage.picture('credential-good');
    await dialog.close();
  });

  it('picks a form among 250, by scrolling or by searching', async () => {
    await editor.add('Get many submissions');
    await editor.openList();
    expect(await editor.listEntries.count()).toBe(100);
    await stage.picture('form-list');

    while ((await editor.listEntries.count()) < 250) {
      await editor.listEntries.last().scrollIntoViewIfNeeded();
      await stage.page.mouse.wheel(0, 2_000);
      await sleep(100);
    }
    expect(new Set(await editor.listEntries.allInnerTexts())).toHaveProperty('size', 250);

    await editor.searchList('up 199 work');
    await editor.listEntries.filter({ hasText: 'Workshop 199' }).waitFor();
    expect(await editor.listEntries.count()).toBe(1);
    await editor.pickForm('Contact us');
  });

  it('picks several forms for one trigger, and sees the newest submission of them', async () => {
    const { page, emulator } = stage;
    await editor.add('On new submission in several forms');
    await editor.choose('formIds');
    await editor.option('Contact us').click();
    await editor.filterOptions('formIds', 'workshop 199');
    await editor.option('Workshop 199').click();
    await page.keyboard.press('Escape');

    await editor.execute('1 item');
    await editor.output.getByText('Schema').click();
    await editor.output.getByText('lucas.silva@example.org').waitFor();
    const read = emulator.requests.flatMap(({ path }) => /forms\/([^/]+)\/submissions$/.exec(path)?.[1] ?? []);
    const chosen = ['Contact us', 'Workshop 199: sign-up'].map((title) => stage.formId(title));
    expect(read.slice(-2).sort()).toEqual(chosen.sort());
  });
});
