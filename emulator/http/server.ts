import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { applyBefore, applyToBody, delay } from './faultEffects.ts';
import { pickFault, type Fault, type FaultEffect, type RequestRecord } from './faults.ts';
import { ServiceError } from './operation.ts';
import type { Quirks } from './quirks.ts';

/** Called before a response is made; what it changes is seen by the response. */
export type RequestListener = (request: RequestRecord) => void | Promise<void>;

/** What the server reads and writes while it responds. */
export interface ServerState {
  readonly clock: Clock;
  readonly quirks: Quirks;
  readonly requests: RequestRecord[];
  readonly faults: Fault[];
  readonly listeners: Set<RequestListener>;
  readonly inFlight: { now: number; max: number };
  readonly recordBodies: boolean;
}

/** A server without routes that logs, counts and delays requests and applies faults to the responses. */
export function createServer(state: ServerState): FastifyInstance {
  const { clock, quirks, inFlight } = state;
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

  const unfinished = new Map<FastifyRequest, { record: RequestRecord; effect?: FaultEffect }>();
  const finish = (request: FastifyRequest): void => {
    if (unfinished.delete(request)) inFlight.now -= 1;
  };

  app.addHook('onRequest', async (request, reply) => {
    const record = recordOf(request, clock.now());
    state.requests.push(record);
    unfinished.set(request, { record });
    inFlight.now += 1;
    inFlight.max = Math.max(inFlight.max, inFlight.now);
    reply.raw.once('close', () => finish(request));
  });

  app.addHook('preHandler', async (request, reply) => {
    const exchange = unfinished.get(request);
    if (!exchange) return;
    const { record } = exchange;
    record.body = request.body;
    for (const listener of [...state.listeners]) await listener(record);
    if (quirks.latencyMs > 0) await delay(request, quirks.latencyMs);
    exchange.effect = pickFault(state.faults, record);
    if (exchange.effect && (await applyBefore(exchange.effect, request, reply))) return reply;
  });

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    reply.raw.sendDate = false;
    if (!quirks.noDateHeader) reply.header('date', new Date(clock.now() + quirks.dateSkewMs).toUTCString());
    const { record, effect } = unfinished.get(request) ?? {};
    if (!record) return payload;
    const sent = effect ? applyToBody(effect, request, reply, payload) : payload;
    record.status = reply.statusCode;
    const complete = effect && 'drip' in effect && effect.everyMs !== undefined ? payload : sent;
    if (state.recordBodies && typeof complete === 'string') record.responseBody = complete;
    finish(request);
    return sent;
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

function recordOf({ method, raw, headers }: FastifyRequest, at: number): RequestRecord {
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/.exec(raw.url ?? '') ?? [];
  const parsed = Object.fromEntries(new URLSearchParams(query));
  return { method, path, query: parsed, headers, body: undefined, status: 0, responseBody: undefined, at };
}
