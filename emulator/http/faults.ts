import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Json } from '../store/types.ts';

export interface RequestRecord {
  method: string;
  /** As it came over the wire: not decoded, without the query. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
  effect?: FaultEffect | undefined;
  /** 0 before the response is sent, and when a fault prevents it. */
  status: number;
  /** Undefined without a response, when the body is not text, and when the emulator does not listen. */
  responseBody: string | undefined;
  /** When the request came in by the emulator's clock, milliseconds since 1970 UTC. */
  at: number;
}

/** Which requests a fault applies to. A condition that is not set is met by every request. */
interface FaultCondition {
  path?: RegExp;
  match?: (request: RequestRecord) => boolean;
  /** The first matching request that the fault applies to, counted from 1. Default 1. */
  nth?: number;
  /** The most requests that the fault applies to. Default 1. */
  times?: number;
}

export interface ResponseBody {
  forms?: Array<Record<string, unknown>>;
  submissions?: Array<Record<string, unknown>>;
  team_members?: Array<Record<string, unknown>>;
  [field: string]: unknown;
}

/** What goes wrong with a request. Effects can be combined, such as a delay and another status. */
export interface FaultEffect {
  /** Sends a response with this status, and with `body` and `headers`, instead of the real one. */
  status?: number;
  body?: Json;
  headers?: Record<string, string>;
  reset?: true;
  hang?: true;
  /** Is added to the latency of every response. */
  delayMs?: number;
  /** Sends the body in pieces of this many bytes, and waits `everyMs` (default 1,000) after each. */
  drip?: number;
  everyMs?: number;
  /** Closes the connection after half of the body. */
  truncate?: true;
  /** Returns what is sent as JSON instead of the real body, and may set status and headers. */
  rewrite?: (body: ResponseBody, reply: FastifyReply) => unknown;
  /** Returns the query that the service reads instead of the one that was sent. */
  reread?: (query: RequestRecord['query']) => RequestRecord['query'];
}

/** The log of all requests, and what a test changes about requests and responses. */
export class Traffic {
  readonly requests: RequestRecord[] = [];
  /** How many requests have no response yet. */
  inFlight = 0;
  /** How long every response takes, and the most rows on a page: the documentation leaves both open. */
  readonly quirks = {
    latencyMs: 0,
    pageSizeCap: 100,
    /** Submissions of one time come in another order with each request, as from a database without a second sort key. */
    shufflesEqualTimes: false,
  };
  private readonly faults = new Set<{ when: FaultCondition; with: FaultEffect; matched: number; applied: number }>();
  private readonly listeners: Array<(request: RequestRecord) => void> = [];

  /** Adds a fault. @returns a function that removes it */
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

/** The longest time without a byte, and the whole time; Infinity when the response never arrives. */
export type Delivery = Record<'silentMs' | 'totalMs', number>;

/** How long a response with a body of so many bytes takes to arrive. */
export function deliveryOf(effect: FaultEffect = {}, bytes: number, latencyMs: number): Delivery {
  const { hang, delayMs = 0, drip, everyMs = 1_000 } = effect;
  if (hang) return { silentMs: Infinity, totalMs: Infinity };
  const firstMs = latencyMs + delayMs;
  if (drip === undefined) return { silentMs: firstMs, totalMs: firstMs };
  return { silentMs: Math.max(firstMs, everyMs), totalMs: firstMs + Math.ceil(bytes / drip) * everyMs };
}

/** Sends another response than the real one, or none, if the effect says so. @returns whether it does */
export function replaceResponse({ status, body, headers = {}, hang, reset }: FaultEffect, reply: FastifyReply) {
  if (status !== undefined) reply.code(status).headers(headers).send(body);
  else if (hang || reset) reply.hijack();
  if (reset) reply.raw.destroy();
  return Boolean(status ?? hang ?? reset);
}

/** The body as it is, or a stream of its pieces for an effect that drips or truncates it. */
export function inPieces({ drip, everyMs, truncate }: FaultEffect, body: string | Buffer, { raw }: FastifyReply) {
  if (drip === undefined && !truncate) return body;
  const bytes = Buffer.from(body);
  // The pause lets the first half of a truncated response arrive. Without it, the client would see only a reset.
  const [size, pauseMs] = truncate ? [Math.ceil(bytes.length / 2), 10] : [drip ?? bytes.length, everyMs ?? 1_000];
  async function* pieces() {
    for (let sent = 0; sent < bytes.length; sent += size) {
      yield bytes.subarray(sent, sent + size);
      await wait(pauseMs, undefined, { ref: false });
      if (truncate) raw.destroy();
    }
  }
  return Readable.from(pieces(), { objectMode: false });
}
