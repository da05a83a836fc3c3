import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until something is true, or is found.
 *
 * @returns what was found
 * @throws Error when it is not there in time (by default after 200 seconds), and what `find` throws
 */
export async function until<T>(
  what: string,
  find: () => T | Promise<T>,
  { everyMs = 200, withinMs = 200_000 } = {},
): Promise<Exclude<T, false | undefined>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const found = await find();
    if (isFound(found)) return found;
    if (Date.now() > deadline) throw new Error(`Not after ${withinMs / 1000} seconds: ${what}`);
    await sleep(everyMs);
  }
}

function isFound<T>(value: T): value is Exclude<T, false | undefined> {
  return value !== false && value !== undefined;
}
