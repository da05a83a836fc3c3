import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 1_000;
const plainLineEveryS = 10;

/** Looks every second until something is found, and says how it stands; undefined when the time is up. */
export async function countDown<T>(
  limitS: number,
  say: (waitedS: number) => string,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const startedAt = Date.now();
  const waited = () => Math.floor((Date.now() - startedAt) / 1000);
  try {
    while (waited() < limitS) {
      const found = await look();
      if (found !== undefined) return found;
      show(waited(), say);
      await sleep(lookEveryMs);
    }
    return undefined;
  } finally {
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
  }
}

function show(waitedS: number, say: (waitedS: number) => string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  ${say(waitedS)}`);
  else if (waitedS % plainLineEveryS === 0) console.log(`  ${say(waitedS)}`);
}
