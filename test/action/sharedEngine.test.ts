import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';
import type { INode } from 'n8n-workflow';

// All test files of a process share one engine, and each file has an Error and a Date of its own: see support/shared/environment.js.
it("n8n's engine recognizes the errors and dates of a test file, and the file those of the engine", () => {
  const node: INode = { id: '1', name: 'Node', type: 'node', typeVersion: 1, position: [0, 0], parameters: {} };
  const error = new NodeOperationError(node, new TypeError('Broken'));
  expect(error.message).toBe('Broken');
  expect(error instanceof Error).toBe(true);
  const date = tryToParseDateTime(new Date(0)).toJSDate();
  expect(date.getTime()).toBe(0);
  expect(date instanceof Date).toBe(true);
});
