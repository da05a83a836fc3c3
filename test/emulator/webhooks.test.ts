import { createHmac } from 'node:crypto';
import { fastify } from 'fastify';

import { createClock, startEmulator, type Emulator } from '../../emulator/index.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const receiver = fastify({ forceCloseConnections: true });
let received: Array<{ body: string; signature: unknown }>;
let status: number;
let url: string;
let emulator: Emulator;

beforeAll(async () => {
  receiver.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => body,
  );
  receiver.post('/', async ({ body, headers }, reply) => {
    received.push({ body: body as string, signature: headers['x-neeto-webhook-signature'] });
    return reply.code(status).send();
  });
  url = await receiver.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => receiver.close());
beforeEach(async () => {
  [received, status] = [[], 200];
  const questions = [{ label: 'Name', slug: 'name' }, { label: 'Left out' }];
  const forms = [
    { id: 'form', title: 'x', questions },
    { id: 'other', title: 'y' },
  ];
  emulator = await startEmulator({ clock: createClock(NOW), seed: { forms } });
});
afterEach(() => emulator.close());

it('is called for each finished submission of its form, with the answers by code and a signature of the body', async () => {
  const { calls } = emulator.addWebhook({ formId: 'form', url, secret: 'ünsafe' });
  emulator.workspace.addSubmission('other');
  emulator.workspace.addSubmission('form', { visibleAt: NOW + 1 });
  emulator.workspace.addSubmission('form', { id: 'one', createdAt: NOW - 3_600_000, answers: { name: 'Zoë <3' } });
  expect(await Promise.all(calls)).toEqual([200]);
  const [{ body, signature }] = received as [{ body: string; signature: unknown }];
  expect(JSON.parse(body)).toEqual({
    webhook: {
      id: 'one',
      submitted_at: '2026-02-09T06:00:00.000Z',
      answers: { name: { field: 'Name', value: 'Zoë <3', type: 'text' } },
    },
  });
  expect(signature).toBe(`sha256=${createHmac('sha256', 'ünsafe').update(Buffer.from(body)).digest('hex')}`);
});

it('can be called again with the same submission, has no signature without a secret, and ends', async () => {
  const webhook = emulator.addWebhook({ formId: 'form', url });
  status = 503;
  emulator.workspace.addSubmission('form', { id: 'one' });
  expect(await Promise.all(webhook.calls)).toEqual([503]);
  status = 200;
  expect(await webhook.redeliver('one')).toBe(200);
  expect(received[1]).toEqual({ ...received[0], signature: undefined });
  webhook.remove();
  emulator.workspace.addSubmission('form', { id: 'two' });
  expect(webhook.calls).toHaveLength(2);
  const unreachable = emulator.addWebhook({ formId: 'form', url: 'http://127.0.0.1:1' });
  expect(await unreachable.redeliver('two')).toBe(0);
});
