import type { IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import {
  deliveryOf,
  inPieces,
  replaceResponse,
  type RequestRecord,
  type ResponseBody,
  type Traffic,
} from './faults.ts';
import type { Clock } from '../store/types.ts';

/** The log's record of each request. A request whose address is not a valid path has none. */
export const records = new WeakMap<IncomingMessage, RequestRecord>();

/** Creates a server without routes. It logs and counts requests, applies faults and, if it listens, delays responses and logs their bodies. */
export function createServer(traffic: Traffic, clock: Clock, listens: boolean): FastifyInstance {
  const { quirks } = traffic;
  const app = fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    bodyLimit: 32 * 1024 * 1024,
    routerOptions: {
      // As in many web frameworks, `/forms/` means `/forms`: a client that sends an empty ID must see what that leads to.
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 4096,
      querystringParser: (text) => Object.fromEntries(new URLSearchParams(text)),
    },
    frameworkErrors: sendError,
  });
  app.setNotFoundHandler(sendNotFound);
  app.setErrorHandler(sendError);

  const unfinished = new WeakSet<IncomingMessage>();
  const finish = (request: IncomingMessage): void => {
    if (unfinished.delete(request)) traffic.inFlight -= 1;
  };

  app.addHook('onRequest', async ({ method, raw, headers, query }, reply) => {
    const [path = ''] = (raw.url ?? '').split('?', 1);
    const parsed = query as Record<string, string>;
    const at = clock.now();
    const record = { method, path, query: parsed, headers, body: undefined, status: 0, responseBody: undefined, at };
    records.set(raw, record);
    traffic.requests.push(record);
    unfinished.add(raw);
    traffic.inFlight += 1;
    reply.raw.once('close', () => finish(raw));
  });

  app.addHook('preHandler', async (request, reply) => {
    const record = records.get(request.raw);
    if (!record) return;
    record.body = request.body;
    traffic.announce(record);
    const { effect } = record;
    if (effect?.reread) request.query = effect.reread({ ...record.query });
    if (effect && (listens || !effect.hang) && replaceResponse(effect, reply)) return reply;
  });

  app.addHook('onSend', async ({ raw }, reply, payload: string | Buffer = '') => {
    const record = records.get(raw);
    if (!record) return payload;
    const { effect = {} } = record;
    reply.raw.sendDate = false;
    reply.header('date', new Date(clock.now()).toUTCString());
    const { rewrite } = effect;
    const body = rewrite ? JSON.stringify(rewrite(JSON.parse(String(payload)) as ResponseBody, reply)) : payload;
    if (listens) {
      const { totalMs } = deliveryOf(effect, 0, quirks.latencyMs);
      if (totalMs > 0) await wait(totalMs, undefined, { ref: false });
      if (typeof body === 'string') record.responseBody = body;
    }
    record.status = reply.statusCode;
    finish(raw);
    return listens ? inPieces(effect, body, reply) : body;
  });

  return app;
}

/** Sends the page for an unknown address, in HTML as web frameworks do. */
export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const page = "<!DOCTYPE html><title>404</title><h1>The page you were looking for doesn't exist.</h1>";
  return reply.code(404).type('text/html; charset=utf-8').send(page);
}

function sendError(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const { message, statusCode = 500 } = error as Error & { statusCode?: number };
  reply.code(statusCode).send({ error: message });
}
