import type { InjectOptions } from 'fastify';
import { deliveryOf, Traffic } from './http/faults.ts';
import { addOperations } from './http/operation.ts';
import { createServer, records } from './http/server.ts';
import { formOperations } from './operations/forms.ts';
import { submissionOperations } from './operations/submissions.ts';
import { teamMemberOperations } from './operations/teamMembers.ts';
import { addFiles } from './pages/files.ts';
import { addFillInPage } from './pages/fillIn.ts';
import { fillWorkspace, type WorkspaceSeed } from './seeds/seed.ts';
import type { Clock } from './store/types.ts';
import { Workspace } from './store/workspace.ts';

export type { Delivery, FaultCondition, FaultEffect, RequestRecord, ResponseBody } from './http/faults.ts';
export { sampleWorkspace, seedOf, type WorkspaceSeed } from './seeds/seed.ts';
export type * from './store/types.ts';

/** How an emulator is started. */
export interface EmulatorOptions {
  /** Where it listens on 127.0.0.1; 0, the default, takes a free port. */
  port?: number;
  /** The only key it accepts. Default `emulator-key`. */
  apiKey?: string;
  /** Default: no forms and one admin. */
  seed?: WorkspaceSeed;
  /** Default: real time. */
  clock?: Clock;
  /** False leaves out the socket, and the bodies of responses in the log: only `inject` reaches it. Default true. */
  listen?: boolean;
  /** Whether it refuses what its document does not name, instead of ignoring it, and fails when its own response is another. Default false. */
  isStrict?: boolean;
}

/** An emulator of the form-building service. */
export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Starts an emulator of the form-building service. */
export async function startEmulator(options: EmulatorOptions = {}) {
  const { port = 0, apiKey = 'emulator-key', seed = {}, clock = Date, listen = true, isStrict = false } = options;
  const traffic = new Traffic();
  const { quirks } = traffic;
  const workspace = new Workspace(clock);
  const app = createServer(traffic, clock, listen);
  // `/api/external/v2` is below the URL.
  const context = { workspace, quirks, url: 'http://emulator.test' };
  const operations = { ...formOperations, ...submissionOperations, ...teamMemberOperations };
  await addOperations(app, operations, context, apiKey, isStrict);
  addFillInPage(app, context);
  addFiles(app, context);
  if (listen) context.url = await app.listen({ port, host: '127.0.0.1' });
  else await app.ready();
  fillWorkspace(workspace, seed, context.url);

  return Object.assign(traffic, {
    workspace,
    url: context.url,
    apiKey,
    clock,

    /**
     * Sends a request without a connection. It never waits: a response that is delayed, drips or hangs comes at once, with the time
     * it would have taken. A connection that breaks is an error with the code ECONNRESET.
     */
    async inject(request: InjectOptions) {
      const { statusCode, headers, body, raw } = await app.inject(request);
      const delivery = deliveryOf(records.get(raw.req)?.effect, Buffer.byteLength(body), quirks.latencyMs);
      return { statusCode, headers, body, ...delivery };
    },

    /** Stops it; connections that are still open are closed. */
    close: async () => await app.close(),
  });
}
