import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Json } from '../store/types.ts';

/** One request and its response. */
export interface RequestRecord {
  method: string;
  /** The path as it came over the wire: not decoded, without the query. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  /** The parsed body; undefined when there was none. */
  body: unknown;
  /** What goes wrong with the request; undefined when no fault applies to it. */
  effect?: FaultEffect | undefined;
  /** The status of the response; 0 before it is sent, and when a fault prevents it. */
  status: number;
  /** The body of the response as text; undefined without a response, when the body is not text, or when the emulator does not listen. */
  responseBody: string | undefined;
  /** The emulator's clock when the request came in, milliseconds since 1970 UTC. */
  at: number;
}

/** Which requests a fault applies to. A condition that is not set is met by every request. */
interface FaultCondition {
  /** Must match the path as it came over the wire, without the query. */
  path?: RegExp;
  /** Must return true for the request. */
  match?: (request: RequestRecord) => boolean;
  /** The fault applies from the nth matching request on, counted from 1 since the fault was added. Default 1. */
  nth?: number;
  /** The most requests that the fault applies to; Infinity for all that follow. Default 1. */
  times?: number;
}

/** The body of a response of the API, as {@link FaultEffect.rewrite} gets it. */
export interface ResponseBody {
  forms?: Array<Record<string, unknown>>;
  submissions?: Array<Record<string, unknown>>;
  team_members?: Array<Record<string, unknown>>;
  [field: string]: unknown;
}

/** What goes wrong with a request. Several effects can be combined, such as a delay and another status. */
export interface FaultEffect {
  /** Sends a response with this status, and with `body` and `headers`, instead of the real one. */
  status?: number;
  /** An object is sent as JSON, a text as it is. */
  body?: Json;
  headers?: Record<string, string>;
  /** Closes the connection before a response is sent. */
  reset?: true;
  /** Never sends a response. */
  hang?: true;
  /** Sends the response only after this time, in addition to the latency of every response. */
  delayMs?: number;
  /** Sends the body in pieces of this many bytes, and waits `everyMs` after each. */
  drip?: number;
  /** Default 1,000. */
  everyMs?: number;
  /** Sends the headers and half of the body, and then closes the connection. */
  truncate?: true;
  /**
   * Sends what this function returns, as JSON, instead of the real body. The function may also set the status and headers. With it, a
   * service breaks its documented interface.
   */
  rewrite?: (body: ResponseBody, reply: FastifyReply) => unknown;
  /** Returns the query that the service reads instead of the one that was sent. The function gets a copy, which it may change. */
  reread?: (query: RequestRecord['query']) => RequestRecord['query'];
}

/** A fault, with the number of requests that matched its condition, and of those that it was applied to. */
interface Fault {
  when: FaultCondition;
  with: FaultEffect;
  matched: number;
  applied: number;
}

/** The log of all requests, and what a test changes about requests and responses. */
export class Traffic {
  /** Every request since the start or the last reset. */
  readonly requests: RequestRecord[] = [];
  /** How many requests have no response yet, and the highest such number since the start or the last reset. */
  readonly inFlight = { now: 0, max: 0 };
  /** Behavior that the documentation leaves open: how long every response takes, and the most rows on a page. */
  readonly quirks = { latencyMs: 0, pageSizeCap: 100 };
  private readonly faults = new Set<Fault>();
  private readonly listeners: Array<(request: RequestRecord) => void> = [];

  /**
   * Adds a fault.
   * @returns a function that removes it
   */
  fail({ when = {}, with: effect }: { when?: FaultCondition; with: FaultEffect }): () => void {
    const fault = { when, with: effect, matched: 0, applied: 0 };
    this.faults.add(fault);
    return () => void this.faults.delete(fault);
  }

  /** Calls a function at each request, before the response is made: changes of the workspace appear in that response. */
  onRequest(listener: (request: RequestRecord) => void): void {
    this.listeners.push(listener);
  }

  /** Clears the log, removes the faults and the listeners, and restores the quirks. The workspace stays as it is. */
  reset(): void {
    this.requests.length = 0;
    this.faults.clear();
    this.listeners.length = 0;
    this.inFlight.max = this.inFlight.now;
    Object.assign(this.quirks, new Traffic().quirks);
  }

  /** Calls the listeners. Every fault that matches counts the request, but only the first one that is due applies to it. */
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

/** The longest time without a byte until a response is complete, and the whole time; Infinity when the response never arrives. */
export type Delivery = Record<'silentMs' | 'totalMs', number>;

/**
 * How long a response takes to arrive.
 * @param bytes the size of its body
 * @param latencyMs how long every response takes
 */
export function deliveryOf(effect: FaultEffect = {}, bytes: number, latencyMs: number): Delivery {
  const { hang, delayMs = 0, drip, everyMs = 1_000 } = effect;
  if (hang) return { silentMs: Infinity, totalMs: Infinity };
  const firstMs = latencyMs + delayMs;
  if (drip === undefined) return { silentMs: firstMs, totalMs: firstMs };
  return { silentMs: Math.max(firstMs, everyMs), totalMs: firstMs + Math.ceil(bytes / drip) * everyMs };
}

/**
 * Sends another response than the real one, or none, if the effect says so.
 * @returns whether it does, so that the real response must not be sent
 */
export function replaceResponse({ status, body, headers = {}, hang, reset }: FaultEffect, reply: FastifyReply) {
  if (status !== undefined) reply.code(status).headers(headers).send(body);
  else if (hang || reset) reply.hijack();
  if (reset) reply.raw.destroy(connectionReset());
  return Boolean(status ?? hang ?? reset);
}

/** The body as it is, or a stream of its pieces for an effect that drips or truncates it. */
export function inPieces({ drip, everyMs, truncate }: FaultEffect, body: string | Buffer, { raw }: FastifyReply) {
  if (drip === undefined && !truncate) return body;
  const bytes = Buffer.from(body);
  // Before a truncated response is cut off, the pause lets its first half arrive. Without it, the client would see only a reset.
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
