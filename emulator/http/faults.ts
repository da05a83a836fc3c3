import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Json } from '../store/types.ts';

/** One request and its response. */
export interface RequestRecord {
  method: string;
  /** As it came over the wire: not decoded, without the query. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body; undefined when there was none. */
  body: unknown;
  /** What goes wrong with it. */
  effect?: FaultEffect | undefined;
  /** The status of the response; 0 while there is none, and when a fault prevented it. */
  status: number;
  /** The body of the response as text; undefined when bodies are not recorded or there was none. */
  responseBody: string | undefined;
  /** The emulator's clock when the request came in, milliseconds since 1970 UTC. */
  at: number;
}

/** Which requests a fault applies to. What is not set does not restrict. */
export interface FaultCondition {
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
  [field: string]: unknown;
}

/** What goes wrong; several things can. */
export interface FaultEffect {
  /** This response instead of the real one. An object is sent as JSON, a text as it is. */
  status?: number;
  body?: Json;
  headers?: Record<string, string>;
  /** The connection is closed before the response. */
  reset?: true;
  /** Never a response. */
  hang?: true;
  /** The response comes only after so many milliseconds. */
  delayMs?: number;
  /** So many bytes of its body come every so many milliseconds. Default: every second. */
  drip?: number;
  everyMs?: number;
  /** The headers of the real response, half of its body, and the connection is closed. */
  truncate?: true;
  /** What this function makes of the real response, its JSON and its headers: a service that breaks its documented interface. */
  rewrite?: (body: ResponseBody, reply: FastifyReply) => unknown;
  /** The query that the service reads instead of the one that was sent; it gets a copy to change. */
  reread?: (query: RequestRecord['query']) => RequestRecord['query'];
}

/** A fault that was added, with the number of requests that matched, and of those that it was applied to. */
interface Fault {
  when: FaultCondition;
  with: FaultEffect;
  matched: number;
  applied: number;
}

/** What goes over the wire, and what a test does to it. */
export class Traffic {
  /** Every request since the start or the last reset. */
  readonly requests: RequestRecord[] = [];
  /** Requests that have no response yet, and the most there ever were at once. */
  readonly inFlight = { now: 0, max: 0 };
  /** How the service behaves where its documentation leaves it open: how long a response takes, and the most rows on a page. */
  readonly quirks = { latencyMs: 0, pageSizeCap: 100 };
  private readonly faults = new Set<Fault>();
  private readonly listeners: Array<(request: RequestRecord) => void> = [];

  /** Makes requests fail. Returns a function that ends it. */
  fail({ when = {}, with: effect }: { when?: FaultCondition; with: FaultEffect }): () => void {
    const fault = { when, with: effect, matched: 0, applied: 0 };
    this.faults.add(fault);
    return () => void this.faults.delete(fault);
  }

  /** Calls a function before each response is made; what it changes is seen by the response. */
  onRequest(listener: (request: RequestRecord) => void): void {
    this.listeners.push(listener);
  }

  /** Clears the log, the faults, the quirks and the listeners; the workspace stays. */
  reset(): void {
    this.requests.length = 0;
    this.faults.clear();
    this.listeners.length = 0;
    this.inFlight.max = this.inFlight.now;
    Object.assign(this.quirks, new Traffic().quirks);
  }

  /** Tells the listeners of a request. The first fault that is due applies to it, and each that matches counts it. */
  announce(request: RequestRecord): void {
    for (const listener of this.listeners) listener(request);
    const matching = [...this.faults].filter(
      ({ when: { path = /^/, match = () => true } }) => request.path.search(path) >= 0 && match(request),
    );
    for (const fault of matching) fault.matched += 1;
    const due = matching.find(
      ({ when: { nth = 1, times = 1 }, matched, applied }) => applied < times && matched >= nth,
    );
    if (due) due.applied += 1;
    request.effect = due?.with;
  }
}

/** How many milliseconds a response takes to arrive: the longest time without a byte, and all of it. Infinity when it never does. */
export type Delivery = Record<'silentMs' | 'totalMs', number>;

/**
 * How long a response with a body of so many bytes takes to arrive.
 * @param latencyMs how long every response takes
 */
export function deliveryOf(effect: FaultEffect = {}, bytes: number, latencyMs: number): Delivery {
  const { hang, delayMs = 0, drip, everyMs = 1_000 } = effect;
  if (hang) return { silentMs: Infinity, totalMs: Infinity };
  const firstMs = latencyMs + delayMs;
  if (drip === undefined) return { silentMs: firstMs, totalMs: firstMs };
  return { silentMs: Math.max(firstMs, everyMs), totalMs: firstMs + Math.ceil(bytes / drip) * everyMs };
}

/** Sends another response than the real one, or none. Returns whether that is what the fault is about. */
export function replaceResponse({ status, body, headers = {}, hang, reset }: FaultEffect, reply: FastifyReply) {
  if (status !== undefined) reply.code(status).headers(headers).send(body);
  else if (hang || reset) reply.hijack();
  if (reset) reply.raw.destroy(connectionReset());
  return Boolean(status ?? hang ?? reset);
}

/** The body of a response, or parts of it that come one after the other. */
export function inPieces({ drip, everyMs, truncate }: FaultEffect, body: string | Buffer, { raw }: FastifyReply) {
  if (drip === undefined && !truncate) return body;
  const bytes = Buffer.from(body);
  // What was written must leave the machine before the connection goes, or the client would see only a reset.
  const [size, pauseMs] = truncate ? [Math.ceil(bytes.length / 2), 10] : [drip ?? bytes.length, everyMs ?? 1_000];
  async function* pieces() {
    for (let sent = 0; sent < bytes.length; sent += size) {
      yield bytes.subarray(sent, sent + size);
      await wait(pauseMs, undefined, { ref: false });
      if (truncate) raw.destroy(connectionReset());
    }
  }
  return Readable.from(pieces(), { objectMode: false });
}

function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
