import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator, RequestRecord } from '../../../emulator/index.ts';

/**
 * Waits until something is true.
 *
 * @throws Error when it is not true in time; by default after 3 minutes
 */
export async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  { everyMs = 100, withinMs = 180_000 } = {},
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Not after ${withinMs / 1000} seconds: ${what}`);
    await sleep(everyMs);
  }
}

/** Whether a request reads the submissions of this form. */
export function readsSubmissions(formId: string, { path }: Pick<RequestRecord, 'path'>): boolean {
  return path.endsWith(`/forms/${formId}/submissions`);
}

/** Waits for polls that begin from now on and whose first request has its response. */
export async function untilPolled(emulator: Emulator, formId: string, times = 1): Promise<void> {
  const count = () =>
    emulator.requests.filter((request) => request.status !== 0 && readsSubmissions(formId, request)).length;
  const before = count();
  await until(`${times} more polls of ${formId}`, () => count() >= before + times);
}
