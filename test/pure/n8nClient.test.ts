import { fastify } from 'fastify';

import { N8nClient } from '../../n8n-runner/client.ts';

it('an execution that n8n lists both as running and as ended is one execution', async () => {
  const n8n = fastify();
  const running = { id: '1', mode: 'trigger', workflowId: 'w', status: 'running' };
  const ended = { ...running, status: 'success' };
  n8n.get('/rest/executions', async () => ({ data: { results: [running, ended] } }));
  try {
    const client = new N8nClient(await n8n.listen({ host: '127.0.0.1', port: 0 }));
    expect(await client.listExecutions('w')).toEqual([ended]);
  } finally {
    await n8n.close();
  }
});
