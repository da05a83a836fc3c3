/**
 * The pause of a workspace after a 429 with Retry-After: until that time no trigger of this process sends a request to it, whatever other
 * requests in flight return. A poll whose time is longer than the pause waits for its end; the first that is shorter fails, and those
 * after it are silent. What waits is api/retry.ts.
 */

import { Pause } from '../api/requestLimiter';
import { ExpiringMap } from './expiringMap';

/** A Retry-After is honored for an hour at most. */
const MAX_MS = 60 * 60_000;

/** How long it is kept after the last poll began: it must not end before its time. */
const KEPT_MS = 2 * MAX_MS;

export class WorkspacePause extends Pause {
  /** Of the pause that a poll has failed by. */
  private reportedEnd?: number;

  override extend(now: number, ms: number): void {
    super.extend(now, Math.min(ms, MAX_MS));
  }

  /** Whether a poll has failed by it, so that others need not fail again. */
  get isReported(): boolean {
    return this.reportedEnd === this.endsAt;
  }

  /** Notes that a poll has failed by it. */
  noteReported(): void {
    this.reportedEnd = this.endsAt;
  }
}

/** By the address of the workspace. */
const pauses = new ExpiringMap<WorkspacePause>();

/** The pause of a workspace, for a poll that begins. @param now ms on the clock */
export function pauseOf(workspace: string, now: number): WorkspacePause {
  const pause = pauses.get(workspace, now) ?? new WorkspacePause();
  pauses.set(workspace, pause, now, KEPT_MS);
  return pause;
}
