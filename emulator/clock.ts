/** The time the emulator lives in, in milliseconds since 1970 UTC. */
export type Clock = Pick<DateConstructor, 'now'>;

/** A clock that stands still. */
export function createClock(ms: number): Clock {
  return { now: () => ms };
}
