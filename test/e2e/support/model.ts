import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Credential, NewCredential } from '../../../n8n-runner/client.ts';

/** What the model replies when it is its turn: a call of a tool, or the answer. */
export type Turn = { call: string; with: IDataObject } | { say: string };

/** A turn, or one that depends on what the tools returned so far, in order. */
export type Step = Turn | ((results: string[]) => Turn);

/** A tool as a model is told of it. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: { properties: Record<string, { type: string; description?: string }> };
}

/** One request of the agent. */
export interface Request {
  messages: Array<{ role: string; content: unknown; tool_call_id?: string }>;
  tools?: Array<{ function: OfferedTool }>;
}

/** A chat model that follows a script, behind the interface that n8n's OpenAI node speaks. */
export interface ScriptedModel {
  /** What the agent sent, in order. */
  requests: Request[];
  /** What n8n is told to reach it. */
  credential: NewCredential;
  /** Starts a new script, and forgets the requests. */
  follow(...steps: Step[]): void;
  /** What the tools returned to the model, in order. */
  results(): string[];
  close(): Promise<void>;
}

export async function startModel(): Promise<ScriptedModel> {
  const requests: Request[] = [];
  let script: Step[] = [];
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    requests.push(JSON.parse(Buffer.concat(parts).toString('utf8')) as Request);
    const step = script.shift() ?? { say: 'The script has ended.' };
    const turn = typeof step === 'function' ? step(resultsIn(requests.at(-1))) : step;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(completion(turn, requests.length)));
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    credential: {
      name: 'Scripted model',
      type: 'openAiApi',
      data: { apiKey: 'none', url: `http://127.0.0.1:${port}/v1` },
    },
    follow(...steps) {
      requests.length = 0;
      script = steps;
    },
    results: () => resultsIn(requests.at(-1)),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function resultsIn(request: Request | undefined): string[] {
  return (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

/** The node that connects an agent to the scripted model. */
export function modelNode({ id, name }: Credential): INode {
  return {
    id: 'Model',
    name: 'Model',
    type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
    typeVersion: 1.2,
    position: [0, 300],
    parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
    credentials: { openAiApi: { id, name } },
  };
}

function completion(turn: Turn, number: number): object {
  const isCall = 'call' in turn;
  const message = isCall
    ? {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: `call_${number}`,
            type: 'function',
            function: { name: turn.call, arguments: JSON.stringify(turn.with) },
          },
        ],
      }
    : { role: 'assistant', content: turn.say };
  return {
    id: `completion-${number}`,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [{ index: 0, message, finish_reason: isCall ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}
