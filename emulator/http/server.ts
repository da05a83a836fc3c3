import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { sendError, sendNoSuchPage } from './answers.ts';
import { readBodies } from './bodies.ts';
import type { FaultEffects } from './faultEffects.ts';
import { pickFault, type Fault, type FaultEffect, type IncomingRequest } from './faults.ts';
import { parseQuery, queryOf } from './input.ts';
import { PostedForm } from './postedForm.ts';
import type { Quirks } from './quirks.ts';
import type { RequestRecord } from './requestLog.ts';

/** Called before a request is answered; what it changes is seen by the answer. */
export type RequestListener = (request: IncomingRequest) => void | Promise<void>;

/** What the server reads and writes while it answers. */
export interface ServerState {
  clock: Clock;
  quirks: Quirks;
  requests: RequestRecord[];
  faults: Fault[];
  faultEffects: FaultEffects;
  listeners: Set<RequestListener>;
  inFlight: { now: number; max: number };
  recordBodies: boolean;
}

/** A server without routes that logs, measures, delays and spoils its answers. */
export function createServer(state: ServerState): FastifyInstance {
  const app = fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    bodyLimit: 32 * 1024 * 1024,
    routerOptions: {
      // A web framework takes `/forms/` and `//forms` for `/forms`: a client that sends an empty id must see what follows.
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 4096,
      querystringParser: parseQuery,
    },
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply);
    },
  });
  const records = new WeakMap<FastifyRequest, RequestRecord>();
  const places = new WeakMap<FastifyRequest, number>();
  const leaves = new WeakMap<FastifyRequest, () => void>();
  const picked = new WeakMap<FastifyRequest, FaultEffect>();

  readBodies(app);
  app.setNotFoundHandler(sendNoSuchPage);
  app.setErrorHandler(sendError);

  app.addHook('onRequest', async (request, reply) => {
    places.set(request, state.requests.length);
    records.set(request, logRequest(request, state));
    leaves.set(request, enter(reply, state.inFlight));
  });

  app.addHook('preHandler', async (request, reply) => {
    const record = records.get(request);
    if (!record) return;
    record.body = loggedBody(request.body);
    const incoming = { method: record.method, path: record.path, query: record.query, index: places.get(request) ?? 0 };
    for (const listener of [...state.listeners]) await listener(incoming);
    if (state.quirks.latencyMs > 0) await state.faultEffects.delay(request, state.quirks.latencyMs);
    const effect = pickFault(state.faults, incoming);
    if (!effect) return;
    picked.set(request, effect);
    if (await state.faultEffects.applyBefore(effect, request, reply)) return reply;
  });

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    dateAnswer(reply, state);
    const effect = picked.get(request);
    const sent = effect ? state.faultEffects.applyToBody(effect, request, reply, payload) : payload;
    const record = records.get(request);
    if (record) {
      record.status = reply.statusCode;
      const complete = effect && 'drip' in effect && effect.everyMs !== undefined ? payload : sent;
      if (state.recordBodies && typeof complete === 'string') record.responseBody = complete;
    }
    leaves.get(request)?.();
    return sent;
  });

  app.addHook('preClose', async () => {
    state.faultEffects.close();
  });

  return app;
}

function logRequest(request: FastifyRequest, { requests, clock }: ServerState): RequestRecord {
  const record: RequestRecord = {
    method: request.method,
    path: (request.raw.url ?? '').split('?', 1)[0] ?? '',
    query: queryOf(request),
    headers: request.headers,
    body: undefined,
    status: 0,
    responseBody: undefined,
    at: clock.now(),
  };
  requests.push(record);
  return record;
}

function loggedBody(body: unknown): unknown {
  if (!(body instanceof PostedForm)) return body;
  return body.fields.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
}

/** Counts a request as being answered until the function that this gives is called or its connection is gone. */
function enter(reply: FastifyReply, gauge: { now: number; max: number }): () => void {
  let isInside = true;
  const leave = (): void => {
    if (isInside) gauge.now -= 1;
    isInside = false;
  };
  gauge.now += 1;
  gauge.max = Math.max(gauge.max, gauge.now);
  reply.raw.once('close', leave);
  return leave;
}

function dateAnswer(reply: FastifyReply, { clock, quirks }: ServerState): void {
  reply.raw.sendDate = false;
  if (!quirks.noDateHeader) reply.header('date', new Date(clock.now() + quirks.dateSkewMs).toUTCString());
}
