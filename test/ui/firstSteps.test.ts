import { setTimeout as sleep } from 'node:timers/promises';

import { version } from '../../package.json';
import { startTimeoutMs } from '../e2e/support/instance.ts';
import { CredentialDialog, type Editor } from './support/editor.ts';
import { type Stage, startStage } from './support/stage.ts';

/** Each test continues where the one before ended, as a new user does. */
describe('a new user with the README and a browser', () => {
  let stage: Stage;
  let editor: Editor;
  beforeAll(async () => {
    stage = await startStage('first-steps', 'package');
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
    await stage.picture('install');

    await install.click();
    await page.getByRole('alert').filter({ hasText: 'Package installed' }).waitFor();
    await page.getByTestId('community-package-card').getByText('2 nodes').waitFor();
    await stage.picture('installed');
    expect(stage.registryRequests).toContain(`/n8n-nodes-neetoform/-/n8n-nodes-neetoform-${version}.tgz`);
    await editor.showTriggersAndActions();
  });

  it('uninstalls it there, installs it with npm instead, and finds it after a restart', async () => {
    const { page } = stage;
    await editor.open('/settings/community-nodes');
    await page.getByTestId('community-package-card').getByTestId('action-toggle').click();
    await page.getByText('Uninstall package').click();
    await stage.picture('uninstall');
    await page.getByRole('button', { name: 'Confirm uninstall' }).click();
    await page.getByRole('alert').filter({ hasText: 'Package uninstalled' }).waitFor();

    await stage.npmInNodesFolder('install', '--legacy-peer-deps', 'n8n-nodes-neetoform');
    await stage.n8n.restart();
    await editor.showTriggersAndActions();
  });

  it('sees what is wrong with the key and the address, and then that the connection works', async () => {
    const dialog = new CredentialDialog(stage.page);
    const { apiKey, url: baseUrl } = stage.emulator;
    await editor.open('/home/credentials/create');
    await dialog.start('NeetoForm API');
    await dialog.text("The first part of your workspace's address: acme for https://acme.neetoform.com").waitFor();
    expect(await dialog.text('Allowed HTTP Request Domains').count()).toBe(0);
    const attempts: Array<[Record<string, string>, RegExp]> = [
      [
        { subdomain: 'acme', apiKey: 'of-another-workspace', baseUrl },
        /The workspace refused the API key\. Check 'API Key'/,
      ],
      [
        { apiKey, subdomain: 'acme.example.com', baseUrl: '' },
        /'Subdomain' is not a NeetoForm workspace: "acme\.example\.com"/,
      ],
      [{ subdomain: 'acme', baseUrl: 'http://127.0.0.1:1' }, /ECONNREFUSED/],
    ];
    for (const [index, [values, problem]] of attempts.entries()) {
      await dialog.fill(values);
      await dialog.saveAndSee(problem);
      await stage.picture(`credential-wrong-${index + 1}`);
    }
    await dialog.fill({ baseUrl });
    await dialog.saveAndSucceed();
    await stage.picture('credential-good', 'documented');
    await dialog.close();
  });

  it('picks a form among 250, by scrolling or by searching', async () => {
    await editor.add('Get many submissions');
    await editor.openList();
    expect(await editor.listEntries.count()).toBe(100);
    await stage.picture('form-list', 'documented');

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
    await stage.picture('several-list');
    await editor.filterOptions('formIds', 'workshop 199');
    await editor.option('Workshop 199').click();
    await page.keyboard.press('Escape');

    await editor.execute('1 item');
    await editor.output.getByText('Schema').click();
    await editor.output.getByText('lucas.silva@example.org').waitFor();
    await stage.picture('several');
    const read = emulator.requests.flatMap(({ path }) => /forms\/([^/]+)\/submissions$/.exec(path)?.[1] ?? []);
    const chosen = ['Contact us', 'Workshop 199: sign-up'].map((title) => stage.formId(title));
    expect(read.slice(-2).sort()).toEqual(chosen.sort());
  });
});
