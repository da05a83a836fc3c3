import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import getPort from 'get-port';

import { type Emulator, sampleWorkspace, startEmulator } from '../emulator/index.ts';
import type { Setup, Task, Work } from './client.ts';

/** Starts a service that makes each response once, and then sends it from memory: otherwise, its work would count as time of the client. */
export async function startReadyService() {
  const { workspace, apiKey, inject } = await startEmulator({ listen: false });
  const responses = new Map<string, ReturnType<typeof make>>();
  const make = async (url: string) => {
    const { statusCode, headers, body } = await inject({ method: 'GET', url, headers: { 'x-api-key': apiKey } });
    return { statusCode, headers, body: Buffer.from(body) };
  };
  const [host, port] = ['127.0.0.1', await getPort()];
  const service = { workspace, apiKey, url: `http://${host}:${port}`, requests: 0, latencyMs: 0 };
  const server = createServer(({ url = '', headers: sent }, response) => {
    service.requests++;
    const made = responses.get(url) ?? make(url);
    responses.set(url, made);
    void Promise.all([made, wait(service.latencyMs)]).then(([{ statusCode, headers, body }]) => {
      response.writeHead(sent['x-api-key'] === apiKey ? statusCode : 401, headers).end(body);
    });
  });
  await once(server.listen(port, host), 'listening');
  return service;
}

/** Starts a client in a process of its own. @returns a function that lets it do a task, checks the number of items, and says what it cost */
export function startClient(service: Awaited<ReturnType<typeof startReadyService>>, client: Setup[0]) {
  const setup: Setup = [client, service.url, service.apiKey];
  const child = fork(join(import.meta.dirname, 'client.ts'), setup, { execArgv: [...process.execArgv, '--expose-gc'] });
  // The process has printed why it ended.
  child.once('exit', () => process.exit(1));
  return async (task: Task, expectedItems: number) => {
    service.requests = 0;
    child.send(task);
    // The longest task takes about 30 s on an idle machine.
    const [work] = (await once(child, 'message', { signal: AbortSignal.timeout(240_000) })) as [Work];
    if (work.items !== expectedItems)
      throw new Error(`${client}: ${work.items} submissions instead of ${expectedItems}`);
    return { ...work, requests: service.requests };
  };
}

const [exampleForm] = sampleWorkspace().forms ?? [];

/** Adds a form with so many submissions, the last one an hour ago. @returns its ID, and the times of the submissions (ms), oldest first */
export function addForm({ workspace }: Pick<Emulator, 'workspace'>, count: number, everyMs = 60_000) {
  const { questions, submissions: examples = [] } = exampleForm ?? {};
  const { id } = workspace.addForm({ title: `Form of ${count}`, questions });
  const last = workspace.now - 3_600_000;
  const times = Array.from({ length: count }, (_, index) => last - (count - index) * everyMs);
  for (const [index, createdAt] of times.entries()) {
    // All submissions share their answers, so that 100,000 of them fit into memory.
    workspace.addSubmission(id, { createdAt, answers: examples[index % examples.length]?.answers });
  }
  return { id, times };
}
