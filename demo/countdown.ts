import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 1_000;
const plainLineEveryS = 10;

/** Looks every second until something is found, and shows how long it may take; undefined when the time is up. */
export async function countDown<T>(expectedS: number, limitS: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const startedAt = Date.now();
  const waited = () => Math.floor((Date.now() - startedAt) / 1000);
  try {
    while (waited() < limitS) {
      const found = await look();
      if (found !== undefined) return found;
      show(waited(), expectedS);
      await sleep(lookEveryMs);
    }
    return undefined;
  } finally {
    if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
  }
}

function show(waited: number, expectedS: number): void {
  const left = expectedS - waited;
  const text = left > 0 ? `  the next poll comes within ${left} s` : `  any moment now (${waited} s)`;
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
  else if (waited % plainLineEveryS === 0) console.log(text);
}
