/**
 * The pause of a workspace after a 429 with Retry-After: until that time no trigger of this process sends a request to it, whatever other
 * requests in flight return. A poll whose time is longer than the pause waits for its end; the first that is shorter fails, and those
 * after it are silent. Within one poll, api/requestLimiter.ts pauses.
 */

import type { INode } from 'n8n-workflow';
import type { Clock } from '../api/clock';
import { toNodeApiError } from '../api/errors';
import { isRateLimit, type RequestFailure } from '../api/failure';
import { ExpiringMap } from './expiringMap';

/** A Retry-After is honored for an hour at most. */
const MAX_MS = 60 * 60_000;

/** A poll that sends requests to a workspace. */
interface Requester {
  node: INode;
  workspace: string;
  clock: Clock;
  /** ms on the clock: no request begins after it. */
  readingDeadline: number;
}

interface Pause {
  /** ms on the local clock */
  until: number;
  /** Whether a poll has failed by it, so that others need not fail again. */
  isReported: boolean;
}

/** By the address of the workspace. */
const pauses = new ExpiringMap<Pause>();

/** The pause of a poll's workspace; undefined when requests may be sent. */
export function pauseOf({ workspace, clock }: Requester): Pause | undefined {
  return pauses.get(workspace, clock.now());
}

/** Whether the pause keeps this poll from reading: it lasts longer than the time for that. */
export function isPausedTooLong(session: Requester): boolean {
  return (pauseOf(session)?.until ?? 0) >= session.readingDeadline;
}

/** Begins a pause if a request failed by a 429 that asks for one. A shorter pause does not replace a longer one. */
export function notePause(session: Requester, outcome: RequestFailure): void {
  if (!isRateLimit(outcome)) return;
  const now = session.clock.now();
  const until = now + Math.min(outcome.retryAfterMs ?? 0, MAX_MS);
  if (until > Math.max(now, pauseOf(session)?.until ?? 0))
    pauses.set(session.workspace, { until, isReported: false }, now, until - now);
}

/** Notes that a poll has failed by the pause, if there is one. */
export function notePauseReported(session: Requester): void {
  const pause = pauseOf(session);
  if (pause !== undefined) pause.isReported = true;
}

/** @throws NodeApiError while the pause keeps this poll from reading */
export function requireNoPause(session: Requester): void {
  const pause = pauseOf(session);
  if (pause === undefined || !isPausedTooLong(session)) return;
  const retryAfterMs = pause.until - session.clock.now();
  throw toNodeApiError(session.node, { kind: 'status', status: 429, retryAfterMs }, { what: 'forms' });
}

/** Waits until requests may be sent. @throws NodeApiError like `requireNoPause` */
export async function waitForPause(session: Requester): Promise<void> {
  for (let pause = pauseOf(session); pause !== undefined; pause = pauseOf(session)) {
    requireNoPause(session);
    await session.clock.sleep(pause.until - session.clock.now());
  }
}
