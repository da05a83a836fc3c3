/** What this process remembers of a trigger: how it polls, and the state that it wrote last. Losing it never costs a submission. */

import type { IPollFunctions } from 'n8n-workflow';
import { Pause } from '../api/requestLimiter';
import type { WrittenState } from './heldState';

/** How a trigger polls one form. Times are in ms on the local clock. */
export interface FormMemory {
  /** The number of the poll in which the form last had its share, or 0. */
  servedIn: number;
  /** When its window was last looked at, or looking failed; or -Infinity. */
  lookedAt: number;
  /** Where the next look at its window begins: the creation time up to which the last one came before time cut it off. */
  goesOnAt?: number;
}

export interface Memory {
  /** How many polls began. */
  polls: number;
  /** The poll under way. */
  polling?: Promise<unknown>;
  /** The context of the last poll: n8n's timers keep one from the activation on. */
  context?: IPollFunctions;
  /**
   * The state that was written last, and what aborts when n8n has had the time to store it. A timer rather than a time: a clock that is set
   * back must not make polls wait for hours.
   */
  written?: WrittenState & { timeToStore: AbortSignal };
  forms: Map<string, FormMemory>;
  /** When something was last reported (ms on the local clock), by what it is about. */
  reported: Map<string, number>;
  /** ms on the local clock: end of the pause after a 429 that was reported last. Polls are silent until then. */
  reportedPause?: number;
}

/** ms between two looks at a window: with a poll a minute, a late finisher follows within ten minutes. */
export const WINDOW_EVERY_MS = 9 * 60_000;

/** ms that a pause after a 429 lasts at most, whatever the service asks for. */
const MAX_PAUSE_MS = 60 * 60_000;

const memories = new Map<string, Memory>();
const pauses = new Map<string, Pause>();

/** The record of a trigger, kept as long as the process: n8n's timers may poll once a month. @param key workflow and node ID */
export function memoryOf(key: string): Memory {
  const memory = memories.get(key) ?? { polls: 0, forms: new Map(), reported: new Map() };
  memories.set(key, Object.assign(memory, { polls: memory.polls + 1 }));
  return memory;
}

/** What is remembered of a form, to be changed. */
export function formMemory({ forms }: Memory, formId: string): FormMemory {
  const form = forms.get(formId) ?? { servedIn: 0, lookedAt: -Infinity };
  forms.set(formId, form);
  return form;
}

/** The first `lookedAt` of a form: the next looks of many forms are spread over nine minutes. @param place 0 up to 1, among the forms */
export function spreadLook(now: number, place: number): number {
  return now - WINDOW_EVERY_MS * place;
}

/**
 * The pause after a 429 with Retry-After. All triggers of this process with one credential share it: none of them sends a request until
 * it is over. Those of other credentials go on.
 *
 * @param key credential and workspace
 */
export function pauseOf(key: string): Pause {
  const pause = pauses.get(key) ?? new Pause(MAX_PAUSE_MS);
  pauses.set(key, pause);
  return pause;
}
