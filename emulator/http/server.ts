import { Busboy } from '@fastify/busboy';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { sendError, sendNotFound, ServiceError } from './errors.ts';
import type { FaultEffects } from './faultEffects.ts';
import { pickFault, type Fault, type FaultEffect, type IncomingRequest } from './faults.ts';
import type { Quirks } from './quirks.ts';

/** One request and its response. */
export interface RequestRecord {
  method: string;
  /** As it came over the wire: not decoded, without the query. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body; undefined when there was none. */
  body: unknown;
  /** The status of the response; 0 while there is none, and when a fault prevented it. */
  status: number;
  /** The body of the response as text; undefined when bodies are not recorded or there was none. */
  responseBody: string | undefined;
  /** The emulator's clock when the request came in, milliseconds since 1970 UTC. */
  at: number;
}

/** Called before a response is made; what it changes is seen by the response. */
export type RequestListener = (request: IncomingRequest) => void | Promise<void>;

/** What the server reads and writes while it responds. */
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

/** A request on its way through the server. */
interface Exchange {
  record: RequestRecord;
  index: number;
  leave(): void;
  effect: FaultEffect | undefined;
}

/** A server without routes that logs, counts and delays requests and applies faults to the responses. */
export function createServer(state: ServerState): FastifyInstance {
  const { clock, quirks, faultEffects } = state;
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
    frameworkErrors: (error, request, reply) => {
      sendError(error, request, reply);
    },
  });
  const exchanges = new WeakMap<FastifyRequest, Exchange>();

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
    parseBody(request.headers['content-type'] ?? '', body),
  );
  app.setNotFoundHandler(sendNotFound);
  app.setErrorHandler(sendError);

  app.addHook('onRequest', async (request, reply) => {
    const index = state.requests.length;
    const record = recordOf(request, clock.now());
    state.requests.push(record);
    exchanges.set(request, { record, index, leave: enter(reply, state.inFlight), effect: undefined });
  });

  app.addHook('preHandler', async (request, reply) => {
    const exchange = exchanges.get(request);
    if (!exchange) return;
    const { record, index } = exchange;
    record.body = request.body instanceof FormData ? [...request.body.keys()] : request.body;
    const incoming = { method: record.method, path: record.path, query: record.query, index };
    for (const listener of [...state.listeners]) await listener(incoming);
    if (quirks.latencyMs > 0) await faultEffects.delay(request, quirks.latencyMs);
    exchange.effect = pickFault(state.faults, incoming);
    if (exchange.effect && (await faultEffects.applyBefore(exchange.effect, request, reply))) return reply;
  });

  app.addHook('onSend', async (request, reply, payload: unknown) => {
    reply.raw.sendDate = false;
    if (!quirks.noDateHeader) reply.header('date', new Date(clock.now() + quirks.dateSkewMs).toUTCString());
    const exchange = exchanges.get(request);
    if (!exchange) return payload;
    const { record, effect, leave } = exchange;
    const sent = effect ? faultEffects.applyToBody(effect, request, reply, payload) : payload;
    record.status = reply.statusCode;
    const complete = effect && 'drip' in effect && effect.everyMs !== undefined ? payload : sent;
    if (state.recordBodies && typeof complete === 'string') record.responseBody = complete;
    leave();
    return sent;
  });

  app.addHook('preClose', async () => {
    faultEffects.close();
  });

  return app;
}

/** Reads JSON and what HTML forms send; any other body is its text, and an empty one is undefined. */
async function parseBody(contentType: string, body: Buffer): Promise<unknown> {
  try {
    if (contentType.startsWith('multipart/form-data') || contentType.startsWith('application/x-www-form-urlencoded'))
      return await parseForm(contentType, body);
    if (body.length === 0) return undefined;
    const text = body.toString();
    return contentType.startsWith('application/json') ? (JSON.parse(text) as unknown) : text;
  } catch {
    throw new ServiceError(400, 'Error occurred while parsing request parameters');
  }
}

async function parseForm(contentType: string, body: Buffer): Promise<FormData> {
  return await new Promise((resolve, reject) => {
    const form = new FormData();
    const parser = new Busboy({ headers: { 'content-type': contentType }, preservePath: true });
    parser.on('field', (name, value) => form.append(name, value));
    parser.on('file', (field, stream, name, _encoding, type) => {
      const chunks: Array<Uint8Array<ArrayBuffer>> = [];
      stream.on('data', (chunk: Buffer) => chunks.push(new Uint8Array(chunk)));
      stream.on('end', () => form.append(field, new File(chunks, name, { type })));
    });
    parser.on('error', reject);
    parser.on('finish', () => resolve(form));
    parser.end(body);
  });
}

function recordOf(request: FastifyRequest, at: number): RequestRecord {
  const url = request.raw.url ?? '';
  const mark = url.indexOf('?');
  return {
    method: request.method,
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark + 1))),
    headers: request.headers,
    body: undefined,
    status: 0,
    responseBody: undefined,
    at,
  };
}

/** Counts a request as in flight until the returned function is called or its connection is closed. */
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
