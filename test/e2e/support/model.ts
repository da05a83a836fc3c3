import { fastify } from 'fastify';
import type { IDataObject, INode } from 'n8n-workflow';

import type { Credential } from '../../../n8n-runner/client.ts';
import { createNode } from '../../../n8n-runner/workflow.ts';

/** A call of a tool. */
export interface Call {
  tool: string;
  with: IDataObject;
}

/** One request of the agent. */
interface Request {
  messages: Array<{ role: string; content: unknown }>;
  tools?: Array<{
    function: {
      name: string;
      description: string;
      parameters: { properties: Record<string, { type: string; description?: string }> };
    };
  }>;
}

/** A chat model that calls tools and then answers "Done.", behind the interface that n8n's OpenAI node speaks. */
export type ScriptedModel = Awaited<ReturnType<typeof startModel>>;

export async function startModel() {
  const requests: Request[] = [];
  let script: Call[] = [];
  const server = fastify({ forceCloseConnections: true });
  server.post<{ Body: Request }>('/chat/completions', async ({ body }) => {
    requests.push(body);
    return completion(script.shift(), requests.length);
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    /** What the agent sent, in order. */
    requests,
    /** What n8n needs to reach it. */
    credential: { name: 'Scripted model', type: 'openAiApi', data: { apiKey: 'none', url } },
    /** Starts a new script, and forgets the requests. */
    follow(calls: Call[]): void {
      requests.length = 0;
      script = [...calls];
    },
    /** What the tools returned to the model, in order. */
    results: () =>
      (requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content)),
    close: async () => await server.close(),
  };
}

/** The node that connects an agent to the scripted model. */
export function modelNode(openAiApi: Credential): INode {
  const parameters = { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} };
  const node = createNode('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', parameters, 1.2);
  return { ...node, credentials: { openAiApi } };
}

function completion(call: Call | undefined, number: number): object {
  const called = call && { name: call.tool, arguments: JSON.stringify(call.with) };
  const message = called
    ? { content: null, tool_calls: [{ id: `call_${number}`, type: 'function', function: called }] }
    : { content: 'Done.' };
  return {
    id: `completion-${number}`,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: called ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
