import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator, IncomingRequest } from '../../../emulator/index.ts';

/** Looks again and again until something is true. */
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

/** Whether a request asks for the submissions of this form. */
export function asksFor(formId: string, { path }: Pick<IncomingRequest, 'path'>): boolean {
  return path.endsWith(`/forms/${formId}/submissions`);
}

/** How many requests for submissions of this form have been answered. */
export function countAnswers(emulator: Emulator, formId: string): number {
  return emulator.requests.filter((request) => request.status !== 0 && asksFor(formId, request)).length;
}

/** Waits for polls that begin from now on and whose first request has been answered. */
export async function untilPolled(emulator: Emulator, formId: string, times = 1): Promise<void> {
  const before = countAnswers(emulator, formId);
  await until(`${times} more polls of ${formId}`, () => countAnswers(emulator, formId) >= before + times);
}

/** Something that others wait for until it is let go. */
export interface Gate {
  opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
