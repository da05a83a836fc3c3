import type { FastifyInstance, InjectOptions } from 'fastify';
import { createClock, type Clock } from './clock.ts';
import type { Context } from './http/operation.ts';
import { addOperations } from './http/operations.ts';
import { createServer, deliveryOf, Traffic } from './http/server.ts';
import { addFiles } from './pages/files.ts';
import { addFillInPage } from './pages/fillIn.ts';
import { fillWorkspace, type WorkspaceSeed } from './seeds/seed.ts';
import { Workspace } from './store/workspace.ts';

export { createClock, type Clock } from './clock.ts';
export type { Delivery, FaultCondition, FaultEffect, RequestRecord, ResponseBody } from './http/faults.ts';
export type { Quirks } from './http/operation.ts';
export { sampleWorkspace } from './seeds/sample.ts';
export { seedOf, type WorkspaceSeed } from './seeds/seed.ts';
export type * from './store/types.ts';

/** How an emulator is started. */
export interface EmulatorOptions {
  /** Where it listens on 127.0.0.1; 0, the default, takes a free port. */
  port?: number;
  /** The only key it accepts. Default `emulator-key`. */
  apiKey?: string;
  /** Default: no forms and one admin. */
  seed?: WorkspaceSeed;
  /** Default: real time, which can be shifted. */
  clock?: Clock;
  /** False leaves out the socket, and the bodies of responses in the log: only `inject` reaches it. Default true. */
  listen?: boolean;
  /** The origin of the object store that the addresses of files lead to. Default: the emulator itself. */
  objectStoreUrl?: string;
}

/** An emulator of the form-building service, started by `startEmulator`. */
export class Emulator extends Traffic implements Context {
  /** Where it is reached, without a path: `/api/external/v2` is below it. */
  url = 'http://emulator.test';
  readonly apiKey: string;
  readonly clock: Clock;
  readonly workspace: Workspace;
  readonly objectStoreUrl: string;
  private readonly app: FastifyInstance;

  constructor({ apiKey, clock, objectStoreUrl, listen = true }: EmulatorOptions) {
    super();
    this.apiKey = apiKey ?? 'emulator-key';
    this.clock = clock ?? createClock();
    this.workspace = new Workspace(this.clock);
    this.objectStoreUrl = objectStoreUrl ?? '';
    this.app = createServer(this, this.clock, listen);
  }

  async start({ port = 0, listen = true, seed = {} }: EmulatorOptions): Promise<this> {
    await addOperations(this.app, this, this.apiKey);
    addFillInPage(this.app, this);
    addFiles(this.app, this);
    if (listen) this.url = await this.app.listen({ port, host: '127.0.0.1' });
    else await this.app.ready();
    fillWorkspace(this.workspace, seed, this.url);
    return this;
  }

  /**
   * Sends a request without a connection. It never waits: a response that is delayed, drips or hangs comes at once, with the time it
   * would have taken. A connection that breaks is an error with the code ECONNRESET.
   */
  async inject(request: InjectOptions) {
    const { statusCode, headers, body, raw } = await this.app.inject(request);
    return { statusCode, headers, body, ...deliveryOf(raw.req) };
  }

  /** Stops it; connections that are still open are closed. */
  async close(): Promise<void> {
    await this.app.close();
  }
}

/** Starts an emulator of the form-building service. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return await new Emulator(options).start(options);
}
