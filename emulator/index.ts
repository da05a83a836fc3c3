import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { runningClock, type Clock } from './clock.ts';
import { FaultEffects, type Delivery } from './http/faultEffects.ts';
import type { Fault, FaultCondition, FaultEffect } from './http/faults.ts';
import type { Context } from './http/operation.ts';
import { addOperations } from './http/operations.ts';
import { noQuirks, type Quirks } from './http/quirks.ts';
import { createServer, type RequestListener, type RequestRecord, type ServerState } from './http/server.ts';
import { addFiles } from './pages/files.ts';
import { addFillInPage } from './pages/fillIn.ts';
import { fillWorkspace, type WorkspaceSeed } from './seeds/seed.ts';
import { Workspace } from './store/workspace.ts';

export { createClock, runningClock, type Clock } from './clock.ts';
export type { Delivery } from './http/faultEffects.ts';
export type { Fault, FaultCondition, FaultEffect, IncomingRequest } from './http/faults.ts';
export type { Quirks } from './http/quirks.ts';
export type { RequestRecord } from './http/server.ts';
export { sampleWorkspace } from './seeds/sample.ts';
export type { FormSeed, WorkspaceSeed } from './seeds/seed.ts';
export type * from './store/types.ts';
export type { Workspace } from './store/workspace.ts';

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
  /** False leaves out the socket: only `app.inject` reaches it. Default true. */
  listen?: boolean;
  /** The origin of the object store that the addresses of files lead to. Default: the emulator itself. */
  objectStoreUrl?: string;
  /** Whether the log keeps the bodies of responses. Default: when it listens. */
  recordBodies?: boolean;
}

/** The response to an injected request, and how long it would have taken over a connection. */
export interface InjectedResponse extends Delivery {
  statusCode: number;
  headers: LightMyRequestResponse['headers'];
  body: string;
}

/** A running emulator. */
export interface Emulator {
  /** Where it is reached, without a path: `/api/external/v2` is below it. */
  readonly url: string;
  readonly apiKey: string;
  readonly app: FastifyInstance;
  readonly clock: Clock;
  readonly workspace: Workspace;
  /** Every request since the start or the last reset. */
  readonly requests: RequestRecord[];
  readonly quirks: Quirks;
  /** Requests that have no response yet, and the most there ever were at once. */
  readonly inFlight: { now: number; max: number };
  /** Makes requests fail. Returns a function that ends it. */
  fail(fault: { when?: FaultCondition; with: FaultEffect }): () => void;
  /**
   * Sends a request without a connection. It never waits: a response that is delayed, drips or hangs comes at once, with the time it
   * would have taken. A connection that breaks is an error with the code ECONNRESET.
   */
  inject(request: InjectOptions): Promise<InjectedResponse>;
  /** Calls a function before each response is made. Returns a function that ends it. */
  onRequest(listener: RequestListener): () => void;
  /** Clears the log, the faults, the quirks and the listeners; the workspace stays. */
  reset(): void;
  /** Stops it; connections that are still open are closed. */
  close(): Promise<void>;
}

/** Starts an emulator of the form-building service. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { port = 0, apiKey = 'emulator-key', seed = {}, clock = runningClock(), listen = true } = options;
  const quirks = noQuirks();
  const state: ServerState = {
    clock,
    quirks,
    requests: [],
    faults: [],
    faultEffects: new FaultEffects(),
    listeners: new Set(),
    inFlight: { now: 0, max: 0 },
    recordBodies: options.recordBodies ?? listen,
  };
  const workspace = new Workspace(clock);
  let url = 'http://emulator.test';
  const context: Context = {
    workspace,
    quirks,
    origin: () => url,
    objectStore: () => options.objectStoreUrl ?? '',
  };

  const app = createServer(state);
  await addOperations(app, context, apiKey);
  addFillInPage(app, context);
  addFiles(app, context);
  if (listen) url = await app.listen({ port, host: '127.0.0.1' });
  else await app.ready();
  fillWorkspace(workspace, seed, context.origin());

  return {
    url,
    apiKey,
    app,
    clock,
    workspace,
    requests: state.requests,
    quirks,
    inFlight: state.inFlight,
    fail: ({ when = {}, with: effect }) => {
      const fault: Fault = { when, with: effect, matched: 0, applied: 0 };
      state.faults.push(fault);
      return () => {
        const index = state.faults.indexOf(fault);
        if (index >= 0) state.faults.splice(index, 1);
      };
    },
    inject: async (request) => {
      const { statusCode, headers, body, raw } = await app.inject(request);
      return { statusCode, headers, body, ...state.faultEffects.deliveryOf(raw.req) };
    },
    onRequest: (listener) => {
      state.listeners.add(listener);
      return () => {
        state.listeners.delete(listener);
      };
    },
    reset: () => {
      state.requests.length = 0;
      state.faults.length = 0;
      state.listeners.clear();
      state.inFlight.max = state.inFlight.now;
      Object.assign(quirks, noQuirks());
    },
    close: () => app.close(),
  };
}
