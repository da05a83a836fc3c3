import type { IExecuteFunctions } from 'n8n-workflow';

import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { loggedText, runNode } from '../support/engine';

it('records what a node logs, so that the tests of secrecy would find a key there', async () => {
  async function execute(this: IExecuteFunctions) {
    this.logger.info('A request', { headers: { 'x-api-key': 'a key' } });
    return [[]];
  }
  const { description } = new NeetoForm();
  await runNode({ description, execute }, { parameters: {} });
  expect(loggedText()).toMatch(/A request[^]*a key/);
});
