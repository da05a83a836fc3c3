import type { FastifyInstance, InjectOptions } from 'fastify';
import { createClock, type Clock } from './clock.ts';
import { deliveryOf } from './http/faultEffects.ts';
import type { Fault, FaultCondition, FaultEffect, RequestRecord } from './http/faults.ts';
import type { Context } from './http/operation.ts';
import { addOperations } from './http/operations.ts';
import { noQuirks } from './http/quirks.ts';
import { createServer, type RequestListener, type ServerState } from './http/server.ts';
import { addFiles } from './pages/files.ts';
import { addFillInPage } from './pages/fillIn.ts';
import { fillWorkspace, type WorkspaceSeed } from './seeds/seed.ts';
import { Workspace } from './store/workspace.ts';

export { createClock, type Clock } from './clock.ts';
export type { Delivery } from './http/faultEffects.ts';
export type { FaultCondition, FaultEffect, RequestRecord } from './http/faults.ts';
export type { Quirks } from './http/quirks.ts';
export { sampleWorkspace } from './seeds/sample.ts';
export type { FormSeed, WorkspaceSeed } from './seeds/seed.ts';
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
  /** False leaves out the socket: only `inject` reaches it. Default true. */
  listen?: boolean;
  /** The origin of the object store that the addresses of files lead to. Default: the emulator itself. */
  objectStoreUrl?: string;
  /** Whether the log keeps the bodies of responses. Default: when it listens. */
  recordBodies?: boolean;
}

/** An emulator of the form-building service, started by `startEmulator`. */
export class Emulator implements Context, ServerState {
  /** Where it is reached, without a path: `/api/external/v2` is below it. */
  url = 'http://emulator.test';
  readonly apiKey: string;
  readonly clock: Clock;
  readonly workspace: Workspace;
  /** Every request since the start or the last reset. */
  readonly requests: RequestRecord[] = [];
  readonly quirks = noQuirks();
  readonly faults: Fault[] = [];
  readonly listeners = new Set<RequestListener>();
  /** Requests that have no response yet, and the most there ever were at once. */
  readonly inFlight = { now: 0, max: 0 };
  readonly objectStoreUrl: string;
  readonly recordBodies: boolean;
  readonly app: FastifyInstance;

  constructor({ apiKey, clock, objectStoreUrl, listen, recordBodies }: EmulatorOptions) {
    this.apiKey = apiKey ?? 'emulator-key';
    this.clock = clock ?? createClock();
    this.workspace = new Workspace(this.clock);
    this.objectStoreUrl = objectStoreUrl ?? '';
    this.recordBodies = recordBodies ?? listen !== false;
    this.app = createServer(this);
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

  /** Makes requests fail. Returns a function that ends it. */
  fail({ when = {}, with: effect }: { when?: FaultCondition; with: FaultEffect }): () => void {
    const fault: Fault = { when, with: effect, matched: 0, applied: 0 };
    this.faults.push(fault);
    return () => {
      const index = this.faults.indexOf(fault);
      if (index >= 0) this.faults.splice(index, 1);
    };
  }

  /** Calls a function before each response is made. Returns a function that ends it. */
  onRequest(listener: RequestListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /**
   * Sends a request without a connection. It never waits: a response that is delayed, drips or hangs comes at once, with the time it
   * would have taken. A connection that breaks is an error with the code ECONNRESET.
   */
  async inject(request: InjectOptions) {
    const { statusCode, headers, body, raw } = await this.app.inject(request);
    return { statusCode, headers, body, ...deliveryOf(raw.req) };
  }

  /** Clears the log, the faults, the quirks and the listeners; the workspace stays. */
  reset(): void {
    this.requests.length = 0;
    this.faults.length = 0;
    this.listeners.clear();
    this.inFlight.max = this.inFlight.now;
    Object.assign(this.quirks, noQuirks());
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
