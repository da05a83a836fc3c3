/**
 * What this process remembers of a trigger: whose turn is next, what was reported, and the state that it wrote last. When the process ends,
 * this is lost, and no submission with it.
 */

import type { IPollFunctions } from 'n8n-workflow';
import { Pause } from '../api/requestLimiter';
import type { Written } from './chooseState';

/** How a trigger polls one form. Times are in ms on the local clock. */
export interface FormMemory {
  /** The number of the poll that last served the form (see `noteTurns`), or 0. */
  servedIn: number;
  /** When a look at its window last ended or failed, or a time that `spreadLook` made up. -Infinity for a form that is new to this process. */
  lookedAt: number;
  /** Where the next look at its window goes on, when the poll's time cut off the last one: the creation time that it had reached. */
  goesOnAt?: number;
}

export interface WrittenState extends Written {
  context: IPollFunctions;
  /**
   * Aborts when n8n has had enough time to store the state. It is a timer rather than a time on the clock: otherwise, a clock that is set
   * back would make polls wait for hours.
   */
  timeToStore: AbortSignal;
}

export interface Memory {
  /** How many sessions have begun: polls, and test events of the editor. */
  polls: number;
  /** Settles when the poll that is under way has ended. Undefined when none is. */
  polling?: Promise<unknown>;
  /** The context of the last poll. n8n's timers use one for an activation and all polls after it; with them, a new one means an activation. */
  context?: IPollFunctions;
  written?: WrittenState;
  forms: Map<string, FormMemory>;
  /** When something was last reported (ms on the local clock), by what it is about. */
  reported: Map<string, number>;
  /** ms on the local clock: end of the pause after a 429 that was reported last. Scheduled polls are silent until then. */
  reportedPause?: number;
}

/** ms between two looks at a window: with a poll a minute, a late finisher is emitted within ten minutes after it appears. */
export const WINDOW_EVERY_MS = 9 * 60_000;

/** ms that a pause after a 429 lasts at most, whatever the service asks for. */
const MAX_PAUSE_MS = 60 * 60_000;

const memories = new Map<string, Memory>();
const pauses = new Map<string, Pause>();

/**
 * What is remembered of a trigger, to be changed by the caller. Each call counts as a session. The memory is never removed, because a trigger
 * may poll only once a month.
 *
 * @param key workflow and node ID
 */
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

/**
 * Makes up a `lookedAt` for a form that has none yet. It spreads the next looks of many forms over nine minutes.
 *
 * @param place of the form among the others: 0 up to 1
 */
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
