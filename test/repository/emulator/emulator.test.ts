import type { InjectOptions } from 'fastify';

import { compiled } from '../../../emulator/http/document.ts';
import { startEmulator } from '../../../emulator/index.ts';

it('the document is valid OpenAPI 3.1', async () => {
  const backend = await compiled;
  expect(() => backend.validateDefinition()).not.toThrow();
});

it.each<[what: string, request: InjectOptions, named: RegExp]>([
  ['a parameter', { url: '/api/external/v2/forms?page_number=1' }, /page_number/],
  ['a body', { method: 'DELETE', url: '/api/external/v2/team-members/member', payload: {} }, /a body/],
  ['a response', { url: '/api/external/v2/forms/form' }, /another response: .*created_at/],
])('a strict emulator refuses %s that the document does not describe', async (_what, request, named) => {
  // The year 275760 is no date-time.
  const seed = {
    forms: [{ id: 'form', title: 'x', createdAt: 8.64e15 }],
    members: [{ id: 'member', email: 'a@b.test' }],
  };
  const emulator = await startEmulator({ listen: false, isStrict: true, seed });
  const { statusCode, body } = await emulator.inject({ headers: { 'x-api-key': emulator.apiKey }, ...request });
  await emulator.close();
  expect(statusCode).toBe(422);
  expect(body).toMatch(named);
});
