import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a workflow did with a submission. */
export interface Entry {
  submission: string;
  execution: string;
  worker: string;
}

/** Where the workflows report what they do, submission by submission. */
export interface Ledger {
  url: string;
  entries: Entry[];
  /** How many reports of a worker wait for their answer: it is in the middle of executions. */
  waiting(worker: string): number;
  close(): Promise<void>;
}

/** @param answerAfterMs what makes an execution last */
export async function startLedger(answerAfterMs: number): Promise<Ledger> {
  const entries: Entry[] = [];
  const waiting = new Map<string, number>();
  const server = createServer((request, response) => {
    void report(new URL(request.url ?? '/', 'http://ledger').searchParams, response);
  });
  async function report(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const entry = {
      submission: query.get('submission') ?? '',
      execution: query.get('execution') ?? '',
      worker: query.get('worker') ?? '',
    };
    entries.push(entry);
    waiting.set(entry.worker, (waiting.get(entry.worker) ?? 0) + 1);
    await sleep(answerAfterMs);
    waiting.set(entry.worker, (waiting.get(entry.worker) ?? 0) - 1);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    entries,
    waiting: (worker) => waiting.get(worker) ?? 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
