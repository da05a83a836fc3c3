import { createClock, type Clock } from '../../emulator/clock.ts';

/** A clock that stands still until it is moved, for the service and n8n's computer alike. */
export interface VirtualClock extends Clock {
  /** @returns a signal that aborts when the clock has been moved on by so many ms */
  timeout(ms: number): AbortSignal;
  /** When the next signal aborts, ms since 1970; undefined when none is pending. */
  readonly nextTimeout: number | undefined;
}

const TIME_IS_UP = new DOMException('The time is up', 'TimeoutError');

/** @param startMs ms since 1970 */
export function createVirtualClock(startMs: number): VirtualClock {
  const clock = createClock(startMs);
  let pending: Array<{ at: number; controller: AbortController }> = [];
  const abortDue = () => {
    const due = pending.filter(({ at }) => at <= clock.now());
    if (due.length === 0) return;
    pending = pending.filter(({ at }) => at > clock.now());
    for (const { controller } of due) controller.abort(TIME_IS_UP);
  };
  return {
    now: () => clock.now(),
    set: (ms) => {
      if (ms < clock.now()) pending = [];
      clock.set(ms);
      abortDue();
    },
    advance: (ms) => {
      clock.advance(ms);
      abortDue();
    },
    timeout: (ms) => {
      const controller = new AbortController();
      pending.push({ at: clock.now() + ms, controller });
      abortDue();
      return controller.signal;
    },
    get nextTimeout() {
      return pending.length === 0 ? undefined : Math.min(...pending.map(({ at }) => at));
    },
  };
}
