/** Shares what a poll may emit among the forms that were read, and makes the items of each. */

import type { INodeExecutionData } from 'n8n-workflow';
import { maxKnownOf, nextBatch, shares } from './batch';
import type { WatchedForms } from './forms';
import { makeItems } from './items';
import type { FormReading } from './read';
import type { FormFailure } from './reports';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState } from './state';

/** What a poll emits of one form, and what to store together with it. */
export interface ServedForm {
  formId: string;
  items: INodeExecutionData[];
  next: FormState;
}

export interface ServedForms {
  served: ServedForm[];
  /** IDs of the forms that got their shares. */
  hadShare: Set<string>;
  /** Forms that could not be read to their ends. Where nothing was found, what is stored of them stays as it is. */
  failures: FormFailure[];
}

/** @param readings in the order in which a remainder of the quota is given out */
export async function serveForms(
  session: PollSession,
  settings: TriggerSettings,
  readings: FormReading[],
  { forms, list }: WatchedForms,
): Promise<ServedForms> {
  const readable = readings.filter(({ failure, fresh }) => failure === undefined || fresh > 0);
  const needs = readable.map(({ fresh }) => fresh);
  const quotas = shares(settings.maxSubmissions, needs);
  const found = needs.reduce((sum, fresh) => sum + fresh, 0);
  const maxKnown = maxKnownOf(
    [...forms.values()].flatMap((form) => form?.cursor ?? []),
    found,
  );
  const now = session.clock.now();
  const batchOf = ({ state, read }: FormReading, quota = 0) => nextBatch(state.cursor, read, { quota, maxKnown, now });
  const batches = readable.map((reading, index) => batchOf(reading, quotas[index]));
  const submissions = readable.map(({ formId, form }, index) => ({
    formId,
    form,
    submissions: batches[index]?.emit ?? [],
  }));
  const items = await makeItems(session, settings, submissions);
  const served = readable.map((reading, index): ServedForm => {
    const made = items[index] ?? [];
    // Files that are late leave their submissions to the next poll.
    const { cursor, hasMore } = batchOf(reading, made.length);
    const { formId, state, lookedAt = state.lookedAt, isQuickDue, read } = reading;
    const isAtEnd = !hasMore && (read.until === Infinity || !isQuickDue);
    const count = isAtEnd ? (list?.forms.get(formId)?.count ?? state.count) : undefined;
    return { formId, items: made, next: { cursor, life: state.life, lookedAt, count } };
  });
  // What is recent follows with the next poll, which fails if it cannot; a window that cannot be read would go unnoticed.
  const failures = readings.flatMap(({ formId, failure, fresh, read }) =>
    failure !== undefined && (fresh === 0 || read.until === Infinity) ? [{ formId, failure }] : [],
  );
  const gotNoShare = readable.filter(({ fresh }, index) => {
    const [made = 0, share = 0] = [items[index]?.length, quotas[index]];
    return made < share || (share === 0 && fresh > 0);
  });
  const hadShare = new Set(readings.map(({ formId }) => formId));
  for (const { formId } of gotNoShare) hadShare.delete(formId);
  return { served, hadShare, failures };
}
