import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import * as faults from './faults.ts';
import { noQuirks, ServiceError } from './operation.ts';

/** Called before a response is made; what it changes is seen by the response. */
export type RequestListener = (request: faults.RequestRecord) => void | Promise<void>;

/** What goes over the wire, and what a test does to it. */
export class Traffic {
  /** Every request since the start or the last reset. */
  readonly requests: faults.RequestRecord[] = [];
  /** Requests that have no response yet, and the most there ever were at once. */
  readonly inFlight = { now: 0, max: 0 };
  readonly quirks = noQuirks();
  readonly faults = new Set<faults.Fault>();
  readonly listeners = new Set<RequestListener>();

  /** Makes requests fail. Returns a function that ends it. */
  fail({ when = {}, with: effect }: { when?: faults.FaultCondition; with: faults.FaultEffect }): () => void {
    const fault = { when, with: effect, matched: 0, applied: 0 };
    this.faults.add(fault);
    return () => void this.faults.delete(fault);
  }

  /** Calls a function before each response is made. Returns a function that ends it. */
  onRequest(listener: RequestListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Clears the log, the faults, the quirks and the listeners; the workspace stays. */
  reset(): void {
    this.requests.length = 0;
    this.faults.clear();
    this.listeners.clear();
    this.inFlight.max = this.inFlight.now;
    Object.assign(this.quirks, noQuirks());
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Missing for an address that is no path. */
    record?: faults.RequestRecord;
    /** What goes wrong with it. */
    effect?: faults.FaultEffect;
  }
}

const deliveries = new WeakMap<IncomingMessage, faults.Delivery>();

/** How long the response to an injected request would have taken. */
export function deliveryOf(request: IncomingMessage): faults.Delivery {
  return deliveries.get(request) ?? { silentMs: 0, totalMs: 0 };
}

/**
 * A server without routes that logs, counts and delays requests and applies faults to the responses.
 * @param listens whether requests come over connections: then it waits, and the log keeps the bodies of responses
 */
export function createServer(traffic: Traffic, clock: Clock, listens: boolean): FastifyInstance {
  const { quirks, inFlight } = traffic;
  const app = fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    bodyLimit: 32 * 1024 * 1024,
    routerOptions: {
      // A web framework takes `/forms/` and `//forms` for `/forms`: a client that sends an empty id must see what follows.
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 4096,
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
    frameworkErrors: sendError,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, async ({ headers }: FastifyRequest, body: string) =>
    parseBody(headers['content-type'] ?? '', body),
  );
  app.setNotFoundHandler(sendNotFound);
  app.setErrorHandler(sendError);

  const unfinished = new Set<FastifyRequest>();
  const finish = (request: FastifyRequest): void => {
    unfinished.delete(request);
    inFlight.now = unfinished.size;
  };

  app.addHook('onRequest', async (request, reply) => {
    const record = recordOf(request, clock.now());
    request.record = record;
    traffic.requests.push(record);
    unfinished.add(request);
    inFlight.now = unfinished.size;
    inFlight.max = Math.max(inFlight.max, inFlight.now);
    reply.raw.once('close', () => finish(request));
  });

  app.addHook('preHandler', async (request, reply) => {
    const { record } = request;
    if (!record) return;
    record.body = request.body;
    for (const listener of [...traffic.listeners]) await listener(record);
    const effect = faults.pickFault(traffic.faults, record);
    request.effect = effect;
    const delayMs = quirks.latencyMs + faults.delayOf(effect);
    if (delayMs > 0 && listens) await wait(delayMs);
    if (effect && faults.replaceResponse(effect, reply, listens)) return reply;
  });

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    const { record, effect } = request;
    if (!record) return payload;
    reply.raw.sendDate = false;
    reply.header('date', new Date(clock.now()).toUTCString());
    record.status = reply.statusCode;
    finish(request);
    const bytes = Buffer.from(typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : '');
    const body = faults.changeBody(effect, bytes, reply, listens);
    if (listens && typeof payload === 'string') record.responseBody = Buffer.isBuffer(body) ? String(body) : payload;
    deliveries.set(request.raw, faults.deliveryOf(effect, bytes.length, quirks.latencyMs + faults.delayOf(effect)));
    reply.header('content-length', Buffer.isBuffer(body) ? body.length : bytes.length);
    return body;
  });

  return app;
}

/** Sends the page for an unknown address: HTML, as a web framework sends it, not JSON. */
export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(404)
    .type('text/html; charset=utf-8')
    .send("<!DOCTYPE html><title>404</title><h1>The page you were looking for doesn't exist.</h1>");
}

/** Sends an error as the service does: `{ error }`. */
function sendError(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  const message = error instanceof Error ? error.message : String(error);
  reply.code(status).send({ error: message });
}

/** Reads JSON; any other body is its text, and an empty one is undefined. */
function parseBody(contentType: string, text: string): unknown {
  if (text === '') return undefined;
  try {
    return contentType.startsWith('application/json') ? (JSON.parse(text) as unknown) : text;
  } catch {
    throw new ServiceError(400, 'Error occurred while parsing request parameters');
  }
}

function recordOf({ method, raw, headers }: FastifyRequest, at: number): faults.RequestRecord {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(raw.url ?? '') ?? [];
  const parsed = Object.fromEntries(new URLSearchParams(query));
  return { method, path, query: parsed, headers, body: undefined, status: 0, responseBody: undefined, at };
}
