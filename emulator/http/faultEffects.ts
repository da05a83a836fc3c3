import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultEffect } from './faults.ts';

/** How often an endless body sends bytes, milliseconds. */
const ENDLESS_EVERY_MS = 5;

/** How long a response takes to arrive, in milliseconds; Infinity when it never does. */
export interface Delivery {
  /** The longest time during which no byte arrives. */
  silentMs: number;
  /** Until the last byte. */
  totalMs: number;
}

const IMMEDIATE: Delivery = { silentMs: 0, totalMs: 0 };
const NEVER: Delivery = { silentMs: Infinity, totalMs: Infinity };

/**
 * Applies faults to responses. A request over a connection is really delayed or dropped. A request by `inject` is never kept waiting:
 * it gets the whole response at once, and `deliveryOf` tells how long it would have taken.
 */
export class FaultEffects {
  /** Replies without an end, to be dropped when the emulator closes. */
  private readonly hanging = new Set<FastifyReply>();
  private readonly deliveries = new WeakMap<IncomingMessage, Delivery>();

  /** How long the response to an injected request would have taken. */
  deliveryOf(request: IncomingMessage): Delivery {
    return this.deliveries.get(request) ?? IMMEDIATE;
  }

  /** Delays the response to a request. */
  async delay(request: FastifyRequest, ms: number): Promise<void> {
    if (isInjected(request)) this.deliveries.set(request.raw, add(this.deliveryOf(request.raw), ms, ms));
    else await wait(ms);
  }

  /**
   * Applies what happens before the real response is made.
   * @returns whether the request needs no real response any more
   */
  async applyBefore(effect: FaultEffect, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if ('status' in effect) {
      const { body } = effect;
      reply.code(effect.status);
      if (typeof body === 'string')
        reply.type(body.startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
      else if (body !== undefined) reply.type('application/json; charset=utf-8');
      if (effect.headers) reply.headers(effect.headers);
      reply.send(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
      return true;
    }
    if ('redirect' in effect) {
      reply.redirect(effect.redirect, 302);
      return true;
    }
    if ('reset' in effect) {
      reply.hijack();
      dropConnection(reply);
      return true;
    }
    if ('hang' in effect && effect.hang === true) {
      if (isInjected(request)) {
        this.deliveries.set(request.raw, NEVER);
        reply.code(204).send();
      } else {
        reply.hijack();
        this.hanging.add(reply);
      }
      return true;
    }
    if ('delayMs' in effect) await this.delay(request, effect.delayMs);
    return false;
  }

  /** Applies what happens to the body of the real response. */
  applyToBody(effect: FaultEffect, request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
    if (!(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
    const length = Buffer.byteLength(payload);
    const half = payload.slice(0, Math.floor(payload.length / 2));
    if ('malformed' in effect) {
      reply.removeHeader('content-length');
      return half;
    }
    if ('truncate' in effect) {
      reply.header('content-length', length);
      return cutStream(half, request, reply);
    }
    if (!('hang' in effect || 'drip' in effect)) return payload;

    if (isInjected(request)) {
      this.deliveries.set(request.raw, slowDelivery(effect, length, this.deliveryOf(request.raw)));
      return payload;
    }
    if ('hang' in effect) {
      reply.header('content-length', length);
      return headersOnly(reply);
    }
    if (effect.everyMs === undefined) {
      reply.removeHeader('content-length');
      return endlessStream(effect.drip, reply);
    }
    reply.header('content-length', length);
    return slowStream(Buffer.from(payload), effect.drip, effect.everyMs, reply);
  }

  /** Drops the connections that are still kept waiting. */
  close(): void {
    for (const reply of this.hanging) dropConnection(reply);
    this.hanging.clear();
  }
}

function slowDelivery(effect: SlowEffect, bytes: number, before: Delivery): Delivery {
  if ('hang' in effect) return NEVER;
  if (effect.everyMs === undefined) return add(before, ENDLESS_EVERY_MS, Infinity);
  return add(before, effect.everyMs, Math.ceil(bytes / effect.drip) * effect.everyMs);
}

type SlowEffect = Extract<FaultEffect, { hang: unknown } | { drip: unknown }>;

function add({ silentMs, totalMs }: Delivery, silence: number, duration: number): Delivery {
  return { silentMs: Math.max(silentMs, silence), totalMs: totalMs + duration };
}

/** Closes the connection of a reply as if the server had crashed. */
function dropConnection(reply: FastifyReply): void {
  const { socket } = reply.raw;
  if (isInjected(reply.request)) reply.raw.destroy(connectionReset());
  else if (socket && 'resetAndDestroy' in socket) socket.resetAndDestroy();
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

function headersOnly({ raw }: FastifyReply): Readable {
  return streamOf(async function* () {
    await wait(1);
    raw.flushHeaders();
    while (!raw.destroyed) await wait(ENDLESS_EVERY_MS);
    yield '';
  });
}

function endlessStream(bytes: number, { raw }: FastifyReply): Readable {
  return streamOf(async function* () {
    while (!raw.destroyed) {
      yield Buffer.alloc(bytes, 'x');
      await wait(ENDLESS_EVERY_MS);
    }
  });
}

function slowStream(body: Buffer, bytes: number, everyMs: number, { raw }: FastifyReply): Readable {
  return streamOf(async function* () {
    for (let sent = 0; sent < body.length && !raw.destroyed; sent += bytes) {
      yield body.subarray(sent, sent + bytes);
      await wait(everyMs);
    }
  });
}

function streamOf(parts: () => AsyncGenerator<string | Buffer>): Readable {
  return Readable.from(parts(), { objectMode: false });
}

/** Whether a request came by `inject`: without a connection. */
function isInjected(request: FastifyRequest): boolean {
  return !(request.raw.socket instanceof Socket);
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
