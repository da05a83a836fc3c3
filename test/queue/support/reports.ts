import { setTimeout as sleep } from 'node:timers/promises';

import { fastify } from 'fastify';

/** What a workflow did with a submission. */
export interface Report {
  submission: string;
  execution: string;
  worker: string;
}

/** A server to which the workflows report each submission. */
export interface ReportServer {
  url: string;
  reports: Report[];
  /** The number of open requests of a worker: it is in the middle of an execution. */
  openRequests(worker: string): number;
  close(): Promise<void>;
}

/** @param responseDelayMs delays each response, so that an execution takes time */
export async function startReportServer(responseDelayMs: number): Promise<ReportServer> {
  const reports: Report[] = [];
  const open = new Map<string, number>();
  const count = (worker: string, change: number) => open.set(worker, (open.get(worker) ?? 0) + change);
  const server = fastify({ forceCloseConnections: true });
  server.get<{ Querystring: Report }>('/', async ({ query }) => {
    reports.push({ ...query });
    count(query.worker, 1);
    await sleep(responseDelayMs);
    count(query.worker, -1);
    return {};
  });
  return {
    url: await server.listen({ host: '127.0.0.1', port: 0 }),
    reports,
    openRequests: (worker) => open.get(worker) ?? 0,
    close: async () => await server.close(),
  };
}
