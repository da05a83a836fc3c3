import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { FaultEffect } from './faults.ts';

/** Replies that were left without an answer, to be dropped when the emulator closes. */
export type HungReplies = Set<FastifyReply>;

/**
 * What a fault does before the real answer is made.
 * @returns whether the request is dealt with
 */
export async function strikeBefore(effect: FaultEffect, reply: FastifyReply, hung: HungReplies): Promise<boolean> {
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
  if ('hang' in effect) {
    reply.hijack();
    hung.add(reply);
    return true;
  }
  if ('delayMs' in effect) await wait(effect.delayMs);
  return false;
}

/** What a fault does to the body of the real answer. */
export function strikeAfter(effect: FaultEffect | undefined, reply: FastifyReply, payload: unknown): unknown {
  if (!effect || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload;
  if ('drip' in effect) {
    reply.removeHeader('content-length');
    return endlessStream(effect.drip, reply);
  }
  const half = payload.slice(0, Math.floor(payload.length / 2));
  if ('malformed' in effect) {
    reply.removeHeader('content-length');
    return half;
  }
  if ('truncate' in effect) {
    reply.header('content-length', Buffer.byteLength(payload));
    return cutStream(half, reply);
  }
  return payload;
}

/** Closes the connection of a reply as if the far side had fallen over. */
export function dropConnection(reply: FastifyReply): void {
  const { socket } = reply.raw;
  if (isInjected(reply)) reply.raw.destroy(connectionReset());
  else if (socket && 'resetAndDestroy' in socket) socket.resetAndDestroy();
}

function cutStream(half: string | Buffer, reply: FastifyReply): Readable {
  async function* parts(): AsyncGenerator<string | Buffer> {
    yield half;
    // What was written must leave the machine before the connection goes, or the client would see only a reset.
    await wait(10);
    if (isInjected(reply)) reply.raw.destroy(connectionReset());
    throw connectionReset();
  }
  return Readable.from(parts(), { objectMode: false });
}

function endlessStream(bytes: number, { raw }: FastifyReply): Readable {
  async function* parts(): AsyncGenerator<Buffer> {
    while (!raw.destroyed) {
      yield Buffer.alloc(bytes, 'x');
      await wait(5);
    }
  }
  return Readable.from(parts(), { objectMode: false });
}

/** A request that came by `inject` has no connection: its failure is told as an error. */
function isInjected(reply: FastifyReply): boolean {
  return reply.raw.socket?.remoteAddress === undefined;
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
