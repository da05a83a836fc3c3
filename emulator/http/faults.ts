import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Json } from '../store/types.ts';

const DRIP_EVERY_MS = 1_000;

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

/** Which requests a fault applies to. What is not set does not restrict. */
export interface FaultCondition {
  method?: string;
  /** Tested against the path as it came over the wire, without the query. */
  path?: RegExp;
  match?: (request: RequestRecord) => boolean;
  /** The first of the matching requests that it applies to, counted from 1 since the fault was added. */
  nth?: number;
  /** How many of them it applies to at most; Infinity for all that follow. Default 1. */
  times?: number;
}

/** The body of a response of the API, for a rewrite. */
export interface ResponseBody {
  forms?: Array<Record<string, unknown>>;
  submissions?: Array<Record<string, unknown>>;
  team_members?: Array<Record<string, unknown>>;
  pagination?: Record<string, number>;
  total_count?: number;
  [field: string]: unknown;
}

/** What goes wrong. */
export type FaultEffect =
  /** This response instead of the real one. An object is sent as JSON, a text as it is. */
  | { status: number; body?: Json; headers?: Record<string, string> }
  /** The connection is closed before the response. */
  | { reset: true }
  /** Never a response. */
  | { hang: true }
  /** The real response, but only after so many milliseconds. */
  | { delayMs: number }
  /** The real response, but so many bytes of its body every so many milliseconds. Default: every second. */
  | Drip
  /** The headers of the real response, half of its body, and the connection is closed. */
  | { truncate: true }
  /** What this function makes of the real response, its JSON and its headers: a service that breaks its documented interface. */
  | { rewrite: (body: ResponseBody, reply: FastifyReply) => unknown };

interface Drip {
  drip: number;
  everyMs?: number;
}

/** A fault that was added. */
export interface Fault {
  when: FaultCondition;
  with: FaultEffect;
  /** How many matching requests there were. */
  matched: number;
  /** How many of them it was applied to. */
  applied: number;
}

/** How long a response takes to arrive, in milliseconds; Infinity when it never does. */
export interface Delivery {
  /** The longest time during which no byte arrives. */
  silentMs: number;
  /** Until the last byte. */
  totalMs: number;
}

/** The fault that applies to a request: the first in the list that is due. Every matching fault counts the request. */
export function pickFault(faults: Iterable<Fault>, request: RequestRecord): FaultEffect | undefined {
  const matching = [...faults].filter(({ when }) => matches(when, request));
  for (const fault of matching) fault.matched += 1;
  const due = matching.find(({ when, matched, applied }) => applied < (when.times ?? 1) && matched >= (when.nth ?? 1));
  if (due) due.applied += 1;
  return due?.with;
}

function matches({ method, path, match }: FaultCondition, request: RequestRecord): boolean {
  return (
    (method ?? request.method) === request.method &&
    (path === undefined || request.path.search(path) >= 0) &&
    (match === undefined || match(request))
  );
}

/** How many milliseconds pass before a response. */
export function delayOf(effect: FaultEffect | undefined): number {
  return effect && 'delayMs' in effect ? effect.delayMs : 0;
}

/**
 * How long a response takes to arrive.
 * @param bytes the length of its body
 * @param firstMs how many milliseconds pass before it
 */
export function deliveryOf(effect: FaultEffect | undefined, bytes: number, firstMs: number): Delivery {
  if (effect && 'hang' in effect) return { silentMs: Infinity, totalMs: Infinity };
  if (!(effect && 'drip' in effect)) return { silentMs: firstMs, totalMs: firstMs };
  const { drip: size, everyMs = DRIP_EVERY_MS } = effect;
  return { silentMs: Math.max(firstMs, everyMs), totalMs: firstMs + Math.ceil(bytes / size) * everyMs };
}

/**
 * Sends another response than the real one, or none.
 * @param listens whether the request came over a connection; without one it cannot hang, and gets an empty response
 * @returns whether that is what the fault is about
 */
export function replaceResponse(effect: FaultEffect, reply: FastifyReply, listens: boolean): boolean {
  if ('status' in effect) {
    const { status, body, headers = {} } = effect;
    const type = typeof body !== 'string' ? 'application/json' : body.startsWith('<') ? 'text/html' : 'text/plain';
    if (body !== undefined) reply.type(`${type}; charset=utf-8`);
    reply.code(status).headers(headers);
    reply.send(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  } else if ('hang' in effect && !listens) {
    reply.code(204).send();
  } else if ('hang' in effect || 'reset' in effect) {
    reply.hijack();
    if ('reset' in effect) reply.raw.destroy(connectionReset());
  } else {
    return false;
  }
  return true;
}

/**
 * What a fault makes of the body of the real response: another one, or parts of it that come one after the other.
 * @param listens whether the request came over a connection; without one nothing drips
 */
export function changeBody(
  effect: FaultEffect | undefined,
  body: Buffer,
  reply: FastifyReply,
  listens: boolean,
): Buffer | Readable {
  if (effect === undefined) return body;
  if ('rewrite' in effect)
    return Buffer.from(JSON.stringify(effect.rewrite(JSON.parse(body.toString()) as ResponseBody, reply)));
  if ('truncate' in effect) return Readable.from(cut(body, reply), { objectMode: false });
  if ('drip' in effect && listens) return Readable.from(drip(body, effect), { objectMode: false });
  return body;
}

async function* cut(body: Buffer, { raw }: FastifyReply) {
  yield body.subarray(0, body.length / 2);
  // What was written must leave the machine before the connection goes, or the client would see only a reset.
  await wait(10);
  raw.destroy(connectionReset());
}

async function* drip(body: Buffer, { drip: size, everyMs }: Drip) {
  for (let sent = 0; sent < body.length; sent += size) {
    yield body.subarray(sent, sent + size);
    await wait(everyMs ?? DRIP_EVERY_MS, undefined, { ref: false });
  }
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
