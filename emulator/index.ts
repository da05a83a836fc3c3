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

export type { Delivery, FaultEffect, RequestRecord, ResponseBody } from './http/faults.ts';
export { sampleWorkspace, type WorkspaceSeed } from './seeds/seed.ts';
export type * from './store/types.ts';

export interface EmulatorOptions {
  /** The port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** The only API key that is accepted. Default `emulator-key`. */
  apiKey?: string;
  /** Default: one admin and no forms. */
  seed?: WorkspaceSeed;
  /** Default: real time. */
  clock?: Clock;
  /** With false there is no socket: only `inject` sends requests, and the log keeps no bodies of responses. Default true. */
  listen?: boolean;
  /** Refuses parameters and bodies that the document does not name, and responses that it does not describe. Default false. */
  isStrict?: boolean;
}

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/** Starts an emulator of the form-building service, and fills its workspace. @throws Error when the port is in use */
export async function startEmulator(options: EmulatorOptions = {}) {
  const { port = 0, apiKey = 'emulator-key', seed = {}, clock = Date, listen = true, isStrict = false } = options;
  const traffic = new Traffic();
  const { quirks } = traffic;
  const workspace = new Workspace(clock);
  const app = createServer(traffic, clock, listen);
  const context = { workspace, quirks, url: 'http://emulator.test' };
  const operations = { ...formOperations, ...submissionOperations, ...teamMemberOperations };
  await addOperations(app, operations, context, apiKey, isStrict);
  addFillInPage(app, context);
  addFiles(app, context);
  if (listen) context.url = await app.listen({ port, host: '127.0.0.1' });
  fillWorkspace(context, seed);

  return Object.assign(traffic, {
    workspace,
    url: context.url,
    apiKey,

    /** Sends a request without a connection. The response comes at once, with the times that it would have taken. @throws Error when it is reset */
    async inject(request: InjectOptions) {
      const { statusCode, headers, body, raw } = await app.inject(request);
      const delivery = deliveryOf(records.get(raw.req)?.effect, Buffer.byteLength(body), quirks.latencyMs);
      return { statusCode, headers, body, ...delivery };
    },

    close: async () => await app.close(),
  });
}
