/** The time the emulator lives in, in milliseconds since 1970 UTC. */
export interface Clock {
  now(): number;
  set(ms: number): void;
  advance(ms: number): void;
}

/**
 * A clock that stands still until it is moved.
 * @param startMs where it stands at first, milliseconds since 1970 UTC
 */
export function createClock(startMs: number): Clock {
  let current = startMs;
  return {
    now: () => current,
    set: (ms) => {
      current = ms;
    },
    advance: (ms) => {
      current += ms;
    },
  };
}

/** A clock that runs with real time; `set` and `advance` shift it and it runs on from there. */
export function runningClock(): Clock {
  let offset = 0;
  return {
    now: () => Date.now() + offset,
    set: (ms) => {
      offset = ms - Date.now();
    },
    advance: (ms) => {
      offset += ms;
    },
  };
}
