/** Shares what a poll may emit among the forms that were read, and makes the items of each. */

import type { INodeExecutionData } from 'n8n-workflow';
import type { FormDetails } from '../submissions/questions';
import { maxKnownOf, nextBatch, shares } from './batch';
import type { WatchedForms } from './forms';
import { makeItems } from './items';
import type { DueForm } from './due';
import type { FormReading } from './read';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState } from './state';

/** What a poll emits of one form, and what to store together with it. */
interface ServedForm {
  formId: string;
  items: INodeExecutionData[];
  next: FormState;
  /** Whether others wait for the next poll. */
  hasMore: boolean;
  /** The form's title and questions, while it has a backlog. */
  details?: FormDetails;
  /** Whether it emits fewer than its share, or has no share although something waits, or may wait. */
  missedShare: boolean;
}

/**
 * Decides what is emitted of each form, and makes its items.
 *
 * @param readings those that have something to store, in the order in which a remainder of the quota is given out
 * @returns what to emit and to store of each
 * @throws UserError when the questions to include are not those of the form
 */
export async function serveForms(
  session: PollSession,
  settings: TriggerSettings,
  readings: FormReading[],
  { forms, list }: WatchedForms,
): Promise<ServedForm[]> {
  const needs = readings.map(({ rows }) => rows.size);
  const quotas = shares(settings.maxSubmissions, needs);
  const rowsOf = new Map(readings.map(({ formId, rows }) => [formId, rows.size]));
  const maxKnown = maxKnownOf(
    [...forms].map(([formId, form]) => (form?.cursor.known.size ?? 0) + (rowsOf.get(formId) ?? 0)),
  );
  const now = session.clock.now();
  const batchOf = (reading: FormReading, quota = 0) =>
    nextBatch(reading.state.cursor, reading, { quota, maxKnown, now });
  const submissions = readings.map((reading, index) => ({
    formId: reading.formId,
    form: reading.details,
    submissions: batchOf(reading, quotas[index]).emit,
  }));
  const made = await makeItems(session, settings, submissions);
  return readings.map((reading, index) => {
    const [items = [], quota = 0, need = 0] = [made[index], quotas[index], needs[index]];
    // Files that are late leave their submissions to the next poll.
    const { cursor, hasMore } = batchOf(reading, items.length);
    const { formId, state, isQuickDue, until, details } = reading;
    const isAtEnd = until === Infinity || !isQuickDue;
    const hasBacklog = hasMore || !isAtEnd;
    const count = hasBacklog ? undefined : (list?.forms.get(formId)?.count ?? state.count);
    const missedShare = items.length < quota || (quota === 0 && (need > 0 || !isAtEnd));
    return {
      formId,
      items,
      next: { ...state, cursor, count },
      hasMore,
      details: hasBacklog ? details : undefined,
      missedShare,
    };
  });
}

/**
 * Where the next poll begins: with the first form that it did not come to, that the end of its time cut off, or that missed its share, so
 * that none is held back by those before it; else, when something waits, with the second form. The form that came first had its chance.
 *
 * @param due the forms of this poll, in order
 * @returns the ID of the form; undefined when it does not matter
 */
export function nextPosition(due: DueForm[], readings: FormReading[], served: ServedForm[]): string | undefined {
  const missed = new Set(due.map(({ formId }) => formId));
  for (const { formId, isCutOff } of readings) if (isCutOff !== true) missed.delete(formId);
  for (const { formId, missedShare } of served) if (missedShare) missed.add(formId);
  const [, ...others] = due;
  const next = others.find(({ formId }) => missed.has(formId));
  return (next ?? (served.some(({ hasMore }) => hasMore) ? others[0] : undefined))?.formId;
}
