import type { Locator, Page } from 'playwright-core';

import { owner } from '../../e2e/support/instance.ts';

/** n8n's editor in a browser, by what a user does in it. */
export class Editor {
  private readonly page: Page;
  private readonly url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.url = url;
  }

  get panel(): Locator {
    return this.page.getByTestId('ndv');
  }

  get output(): Locator {
    return this.page.getByTestId('output-panel');
  }

  private get listEntries(): Locator {
    return this.page.getByTestId('rlc-item');
  }

  private get options(): Locator {
    return this.page.getByRole('option').filter({ visible: true });
  }

  private field(name: string): Locator {
    return this.panel.getByTestId(`parameter-input-${name}`);
  }

  async login(): Promise<void> {
    await this.page.goto(this.url);
    await this.page.locator('input[name="emailOrLdapLoginId"]').fill(owner.email);
    await this.page.locator('input[name="password"]').fill(owner.password);
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.waitForURL(/\/(home|workflow)/);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.url}${path}`);
  }

  /** Opens an empty workflow, and searches n8n's node panel. */
  async searchNodes(words: string): Promise<Locator> {
    await this.open('/workflow/new');
    await this.page.getByTestId('canvas-add-button').click();
    await this.page.getByTestId('node-creator-search-bar').fill(words);
    return this.page.getByTestId('node-creator-item-name').filter({ hasText: 'NeetoForm' }).first();
  }

  /** Opens an empty workflow, and in its node panel the triggers and actions of NeetoForm. */
  async showTriggersAndActions(): Promise<void> {
    await (await this.searchNodes('NeetoForm')).click();
    await this.page.getByText('Triggers (3)').waitFor();
    await this.page.getByText(/^Actions \(\d+\)$/).click();
  }

  /** Opens an empty workflow with a trigger or an action of ours in it, its panel open. */
  async add(entry: string): Promise<void> {
    await this.showTriggersAndActions();
    await this.page.getByText(entry, { exact: true }).click();
    await this.panel.waitFor();
  }

  /** Runs the step that is open, and waits for a text in its output. */
  async execute(text: string | RegExp): Promise<void> {
    await this.page.getByTestId('node-execute-button').click();
    await this.output.getByText(text).first().waitFor();
  }

  /** Adds a field to a collection of the open node; `placeholder` is on its button. */
  async addField(placeholder: string, label: string): Promise<void> {
    const add = this.panel.getByTestId('collection-parameter-add').filter({ visible: true });
    await add.filter({ has: this.page.getByPlaceholder(placeholder) }).click();
    const fields = this.page.getByTestId('collection-parameter-option').filter({ visible: true });
    await fields.filter({ hasText: label }).first().click();
  }

  async dragFromInput(field: string, target: Locator): Promise<void> {
    const source = this.page.getByTestId('ndv-input-panel').getByText(field, { exact: true }).first();
    await source.hover();
    await this.page.mouse.down();
    await target.hover();
    await target.hover({ position: { x: 20, y: 10 } });
    await this.page.mouse.up();
  }

  async pickForm(title: string): Promise<void> {
    const search = this.page.getByTestId('rlc-search');
    if (!(await search.isVisible())) await this.openList();
    await search.fill(title);
    await this.listEntries.filter({ hasText: title }).click();
  }

  async openList(): Promise<void> {
    await this.page.getByTestId('rlc-input').click();
    await this.listEntries.first().waitFor();
  }

  async choose(field: string): Promise<void> {
    // The field ignores clicks until its choices are loaded.
    await this.field(field).locator('input:enabled').first().waitFor({ state: 'attached' });
    await this.field(field).click();
    await this.options.first().waitFor();
  }

  option(text: string): Locator {
    return this.options.filter({ hasText: text });
  }

  /** Adds a node after the last one, or an action of a node, and leaves its panel open. */
  async addNext(nodeName: string, action?: string): Promise<void> {
    await this.page.getByTestId('canvas-handle-plus').last().click();
    await this.page.getByTestId('node-creator-search-bar').fill(nodeName);
    await this.page.getByTestId('node-creator-item-name').filter({ hasText: nodeName }).first().click();
    if (action !== undefined) await this.page.getByText(action, { exact: true }).click();
    await this.panel.waitFor();
  }

  async closePanel(): Promise<void> {
    await this.page.getByTestId('ndv-close-button').click();
    await this.panel.waitFor({ state: 'hidden' });
  }
}
