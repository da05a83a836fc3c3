import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultEffect } from './faults.ts';

// A request over a connection is really delayed or dropped. A request by `inject` is never kept waiting: it gets the whole response at
// once, and `deliveryOf` tells how long it would have taken.

/** How often an endless body sends bytes, milliseconds. */
const ENDLESS_EVERY_MS = 5;

/** How long a response takes to arrive, in milliseconds; Infinity when it never does. */
export interface Delivery {
  /** The longest time during which no byte arrives. */
  silentMs: number;
  /** Until the last byte. */
  totalMs: number;
}

const deliveries = new WeakMap<IncomingMessage, Delivery>();

/** How long the response to an injected request would have taken. */
export function deliveryOf(request: IncomingMessage): Delivery {
  return deliveries.get(request) ?? { silentMs: 0, totalMs: 0 };
}

/** Delays the response to a request. */
export async function delay(request: FastifyRequest, ms: number): Promise<void> {
  if (isInjected(request)) addTime(request, ms, ms);
  else await wait(ms);
}

/**
 * Applies what happens before the real response is made.
 * @returns whether the request needs no real response any more
 */
export async function applyBefore(effect: FaultEffect, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if ('status' in effect) {
    const { status, body, headers = {} } = effect;
    const type = typeof body !== 'string' ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
    reply.code(status);
    if (body !== undefined) reply.type(`${type}; charset=utf-8`);
    reply.headers(headers).send(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  } else if ('redirect' in effect) {
    reply.redirect(effect.redirect, 302);
  } else if ('reset' in effect) {
    reply.hijack();
    const { socket } = reply.raw;
    if (isInjected(request)) reply.raw.destroy(connectionReset());
    else if (socket instanceof Socket) socket.resetAndDestroy();
  } else if ('hang' in effect && effect.hang === true) {
    addTime(request, Infinity, Infinity);
    if (isInjected(request)) reply.code(204).send();
    else reply.hijack();
  } else {
    if ('delayMs' in effect) await delay(request, effect.delayMs);
    return false;
  }
  return true;
}

/** Applies what happens to the body of the real response. */
export function applyToBody(
  effect: FaultEffect,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): unknown {
  if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
  const body = Buffer.from(payload);
  const half = payload.slice(0, Math.floor(payload.length / 2));
  if ('malformed' in effect) {
    reply.removeHeader('content-length');
    return half;
  }
  if ('truncate' in effect) {
    reply.header('content-length', body.length);
    return cutStream(half, request, reply);
  }
  if (!('hang' in effect || 'drip' in effect)) return payload;

  const everyMs = 'hang' in effect ? Infinity : (effect.everyMs ?? ENDLESS_EVERY_MS);
  const isEndless = 'hang' in effect || effect.everyMs === undefined;
  addTime(request, everyMs, isEndless ? Infinity : Math.ceil(body.length / effect.drip) * everyMs);
  if (isInjected(request)) return payload;
  if ('drip' in effect && isEndless) reply.removeHeader('content-length');
  else reply.header('content-length', body.length);
  return slowStream(effect, body, reply);
}

type SlowEffect = Extract<FaultEffect, { hang: unknown } | { drip: unknown }>;

function slowStream(effect: SlowEffect, body: Buffer, { raw }: FastifyReply): Readable {
  return streamOf(async function* () {
    await wait(1);
    raw.flushHeaders();
    while ('hang' in effect && !raw.destroyed) await wait(ENDLESS_EVERY_MS);
    if ('hang' in effect) return;
    const { drip, everyMs } = effect;
    for (let sent = 0; !raw.destroyed && (everyMs === undefined || sent < body.length); sent += drip) {
      yield everyMs === undefined ? Buffer.alloc(drip, 'x') : body.subarray(sent, sent + drip);
      await wait(everyMs ?? ENDLESS_EVERY_MS);
    }
  });
}

function cutStream(half: string | Buffer, request: FastifyRequest, reply: FastifyReply): Readable {
  return streamOf(async function* () {
    yield half;
    // What was written must leave the machine before the connection goes, or the client would see only a reset.
    await wait(10);
    if (isInjected(request)) reply.raw.destroy(connectionReset());
    throw connectionReset();
  });
}

function streamOf(parts: () => AsyncGenerator<string | Buffer>): Readable {
  return Readable.from(parts(), { objectMode: false });
}

function addTime({ raw }: FastifyRequest, silence: number, duration: number): void {
  const { silentMs, totalMs } = deliveryOf(raw);
  deliveries.set(raw, { silentMs: Math.max(silentMs, silence), totalMs: totalMs + duration });
}

/** Whether a request came by `inject`: without a connection. */
function isInjected(request: FastifyRequest): boolean {
  return !(request.raw.socket instanceof Socket);
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
