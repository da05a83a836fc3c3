import type { IExecuteFunctions } from 'n8n-workflow';

import { loggedText, runNode } from '../support/engine';
import { placeholderType } from '../support/engine/workflow';

it('what a node logs is recorded, so that the tests of secrecy would find a key there', async () => {
  async function execute(this: IExecuteFunctions) {
    this.logger.info('A request', { headers: { 'x-api-key': 'a key' } });
    return [[]];
  }
  await runNode({ ...placeholderType(), execute }, { parameters: {} });
  expect(loggedText()).toMatch(/A request[^]*a key/);
});
