import { NodeOperationError, tryToParseDateTime, type IExecuteFunctions } from 'n8n-workflow';

import { loggedText, runNode } from '../support/engine';
import { placeholderNode, placeholderType } from '../support/engine/workflow';

// All test files of a process share one engine, and each file has an Error and a Date of its own: see support/shared/environment.js.
it("n8n's engine recognizes the errors and dates of a test file, and the file those of the engine", () => {
  const error = new NodeOperationError(placeholderNode(), new TypeError('Broken'));
  expect(error.message).toBe('Broken');
  expect(error instanceof Error).toBe(true);
  const date = tryToParseDateTime(new Date(0)).toJSDate();
  expect(date.getTime()).toBe(0);
  expect(date instanceof Date).toBe(true);
});

it('what a node logs is recorded, so that the tests of secrecy would find a key there', async () => {
  async function execute(this: IExecuteFunctions) {
    this.logger.info('A request', { headers: { 'x-api-key': 'a key' } });
    return [[]];
  }
  await runNode({ ...placeholderType(), execute }, { parameters: {} });
  expect(loggedText()).toMatch(/A request[^]*a key/);
});
