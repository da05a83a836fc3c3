/** What this process remembers of a trigger. When the process ends, this is lost, but no submission is. Times are those of the local clock. */

import type { IPollFunctions } from 'n8n-workflow';
import { Pause } from '../api/pause';
import type { Written } from './chooseState';

/** How a trigger polls one form. */
export interface FormMemory {
  /** The number of the poll in which the form was last served (see `noteTurns`), or 0. The form that was served longest ago has its turn. */
  servedIn: number;
  /** When a look at its window last ended, or a time that `spreadLook` made up. -Infinity for a form that is new to this process. */
  lookedAt: number;
  /** The creation time at which the next look at its window goes on, because the poll's time cut off the last one. */
  goesOnAt?: number;
}

export interface Memory {
  /** How many polls have begun, and test events of the editor. */
  polls: number;
  /** Settles when the poll that is under way has ended. Undefined when none is. */
  polling?: Promise<unknown>;
  /** The context of the last poll. */
  context?: IPollFunctions;
  written?: Written;
  forms: Map<string, FormMemory>;
  /** When each subject was last reported. A subject is `form <ID>`, for example. */
  reported: Map<string, number>;
  /** The end of the pause after the last 429 that made a poll fail. */
  reportedPause?: number;
}

/** The time between two looks at a window. */
export const WINDOW_EVERY_MS = 9 * 60_000;

const memories = new Map<string, Memory>();
const pauses = new Map<string, Pause>();

/** What is remembered of a trigger, to be changed by the caller. @param key workflow and node ID */
export function memoryOf(key: string): Memory {
  const memory: Memory = memories.get(key) ?? { polls: 0, forms: new Map(), reported: new Map() };
  memories.set(key, memory);
  return memory;
}

/** What is remembered of a form, to be changed by the caller. */
export function formMemory({ forms }: Memory, formId: string): FormMemory {
  const form = forms.get(formId) ?? { servedIn: 0, lookedAt: -Infinity };
  forms.set(formId, form);
  return form;
}

/** Makes up a `lookedAt`, so that not all windows are due in the same poll. @param place of the form among the others: 0 up to 1 */
export function spreadLook(now: number, place: number): number {
  return now - WINDOW_EVERY_MS * place;
}

/** The pause after a 429. All triggers of this process with one key share it. @param key credential and workspace */
export function pauseOf(key: string): Pause {
  const pause = pauses.get(key) ?? new Pause();
  pauses.set(key, pause);
  return pause;
}
