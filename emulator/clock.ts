/** The time the emulator lives in, in milliseconds since 1970 UTC. */
export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** @param startMs where the clock stands until it is moved. Default: it runs with real time, also after it was moved. */
export function createClock(startMs?: number): Clock {
  const base = (): number => (startMs === undefined ? Date.now() : 0);
  let offset = startMs ?? 0;
  return {
    now: () => base() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}
