import { inOrder } from '../api/inOrder';
import { isTransient } from '../api/errors';
import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Cursor } from './cursor';
import type { FormFailure } from './errorReport';
import { initialCursor } from './pollForm';
import { toPollError, type PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState, TriggerState } from './triggerState';
import { tooSlow, type WatchedForms } from './watchedForms';

/** The forms that a poll starts with, of which nothing was known. */
export interface StartedForms {
  forms: Map<string, FormState>;
  failures: FormFailure[];
}

/**
 * Finds where each new form starts: at Start From; when the trigger watches every active form already, at the time when it began; else
 * behind the newest submission. What was read is kept although other forms fail or the time runs out: these start at the time of the
 * activation, which the list of forms tells.
 *
 * @throws NodeApiError when one form alone is watched and cannot be read, when a chosen form does not exist, and when the service
 *   refuses the key
 */
export async function startForms(
  session: PollSession,
  settings: TriggerSettings,
  { forms, list }: WatchedForms,
  startedAt: number | undefined,
): Promise<StartedForms> {
  const started = new Map<string, FormState>();
  const failures: FormFailure[] = [];
  const newForms = [...forms].filter(([, state]) => state === undefined).map(([formId]) => formId);
  const knownStart = settings.startFrom ?? startedAt;
  const read = async (
    index: number,
  ): Promise<{ formId: string; cursor?: Cursor; failure?: NodeApiError | NodeOperationError }> => {
    const formId = newForms[index] ?? '';
    if (knownStart !== undefined) return { formId, cursor: { watermark: knownStart, seenIds: new Map() } };
    try {
      return { formId, cursor: await initialCursor(session, formId, settings.lookbackMs) };
    } catch (error) {
      return { formId, failure: toPollError(session.context, error) };
    }
  };
  for await (const { formId, cursor, failure } of inOrder(newForms.length, read)) {
    if (failure !== undefined) {
      const isFatal = isRefused(failure) || (!isTransient(failure) && settings.triggerOn !== 'allActive');
      if (settings.triggerOn === 'one' || isFatal) throw failure;
      failures.push({ formId, failure });
    }
    if (cursor !== undefined) {
      // What arrived since the list was read is part of the cursor or changes the number of submissions.
      const count = knownStart === undefined ? list?.forms.get(formId)?.count : undefined;
      started.set(formId, { cursor, count });
    } else if (list?.serverTime !== undefined) {
      started.set(formId, { cursor: { watermark: list.serverTime, seenIds: new Map() } });
    } else if (settings.triggerOn === 'one') {
      throw tooSlow(session, "the form's latest submissions");
    }
  }
  return { forms: started, failures };
}

/** When All Active Forms began: forms that join later start there. Undefined for other ways to triggerOn. */
export function startTime(
  { triggerOn }: TriggerSettings,
  state: TriggerState | undefined,
  { list }: WatchedForms,
): number | undefined {
  return triggerOn === 'allActive' ? (state?.startedAt ?? list?.serverTime) : undefined;
}

function isRefused(failure: NodeApiError | NodeOperationError): boolean {
  return 'httpCode' in failure && failure.httpCode === '401';
}
