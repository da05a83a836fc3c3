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

/** What goes wrong. */
export type FaultEffect =
  /** This response instead of the real one. An object is sent as JSON, a text as it is. */
  | { status: number; body?: Json; headers?: Record<string, string> }
  /** The real response, but only after so many milliseconds. */
  | { delayMs: number }
  /** The connection is reset before the response. */
  | { reset: true }
  /** The headers of the real response, half of its body, and the connection is closed. */
  | { truncate: true }
  /**
   * The headers of the real response and its body, so many bytes every so many milliseconds. Without `everyMs` the body never ends:
   * so many bytes every 5 milliseconds.
   */
  | { drip: number; everyMs?: number }
  /** Half of the real response's text, as if it were complete. */
  | { malformed: true }
  /** A redirect to this address. */
  | { redirect: string }
  /** Never a response, or only the headers of the real one and never its body. */
  | { hang: true | 'after headers' };

/** A fault that was added. */
export interface Fault {
  when: FaultCondition;
  with: FaultEffect;
  /** How many matching requests there were. */
  matched: number;
  /** How many of them it was applied to. */
  applied: number;
}

/** The fault that applies to a request: the first in the list that is due. Every matching fault counts the request. */
export function pickFault(faults: Fault[], request: RequestRecord): FaultEffect | undefined {
  let picked: FaultEffect | undefined;
  for (const fault of faults) {
    if (!matches(fault.when, request)) continue;
    fault.matched += 1;
    if (picked || !isDue(fault)) continue;
    fault.applied += 1;
    picked = fault.with;
  }
  return picked;
}

function matches({ method, path, match }: FaultCondition, request: RequestRecord): boolean {
  return (
    (method ?? request.method) === request.method &&
    (path === undefined || request.path.search(path) >= 0) &&
    (match === undefined || match(request))
  );
}

function isDue({ when, matched, applied }: Fault): boolean {
  return applied < (when.times ?? 1) && matched >= (when.nth ?? 1);
}
