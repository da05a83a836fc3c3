/** Which forms a poll watches, and what the list of forms says of them. */

import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { readList, type List } from '../api/readList';
import { numberOf } from '../json';
import { RECENT_MS, WINDOW_MS } from './cursor';
import type { PollSession } from './session';
import { normalizeId, type TriggerSettings } from './settings';
import type { FormState, TriggerState } from './state';

/** What the list of forms says of one. */
interface ListedForm {
  /** `submissions_count` */
  count?: number;
  isArchived: boolean;
  createdMs: number;
}

/** The forms of one poll. */
export interface WatchedForms {
  /** What is known of each; undefined for one of which nothing is known. */
  forms: Map<string, FormState | undefined>;
  /** What the list of forms says, by ID; undefined when it was not read. */
  listed?: Map<string, ListedForm>;
  /** ms, with Whole Workspace: a form that was created later is new. */
  listedTo?: number;
}

/**
 * Finds the forms that a poll watches. With Several Forms, the list of forms only tells which have news: it may fail.
 *
 * @throws NodeApiError when the whole workspace is watched and its list of forms cannot be read, or the key or the rate is refused
 */
export async function watchedForms(
  session: PollSession,
  { triggerOn, formIds }: TriggerSettings,
  state: TriggerState | undefined,
): Promise<WatchedForms> {
  const known = state?.forms ?? new Map<string, FormState>();
  if (triggerOn === 'allActive') {
    const listed = await readFormList(session, false);
    const listedTo = Math.max(state?.listedTo ?? 0, settledTime(session, listed));
    return { forms: activeForms(session, listed, known, state?.listedTo ?? listedTo), listed, listedTo };
  }
  // A form that was chosen is read whatever the list says of it.
  const asChosen = (form?: FormState) => form && { ...form, goneSince: undefined };
  const forms = new Map(formIds.map((formId) => [formId, asChosen(known.get(formId))]));
  if (triggerOn === 'one') return { forms };
  const listed = await readFormList(session, true).catch((error: unknown) => {
    if (hasStatus(error, '401', '429')) throw error;
    return undefined;
  });
  return { forms, listed };
}

async function readFormList(session: PollSession, isShortcut: boolean): Promise<Map<string, ListedForm>> {
  const keep = ({ id, createdMs, data }: Row): [formId: string, form: ListedForm] => {
    const { submissions_count: count, is_archived: isArchived } = data;
    return [normalizeId(id), { count: numberOf(count), isArchived: isArchived === true, createdMs }];
  };
  const request: List<Row>['request'] = async (query, parse) => await session.readForms(query, parse, isShortcut);
  return new Map(await readList({ key: 'forms', order: 'asc', request, keep }, session.clock));
}

/** With Whole Workspace: the forms of the list, and for a week those that it lacks. @param before `listedTo` of the last list */
function activeForms(
  session: PollSession,
  listed: Map<string, ListedForm>,
  known: TriggerState['forms'],
  before: number,
): WatchedForms['forms'] {
  const now = session.earlierClock() ?? session.clock.now();
  const watched: WatchedForms['forms'] = new Map();
  for (const [formId, { isArchived, createdMs }] of listed) {
    const state = known.get(formId);
    // One that may have been created and archived between two polls is watched; others are when they are restored.
    if (state === undefined && isArchived && createdMs <= before) continue;
    watched.set(formId, state && { ...state, goneSince: isArchived ? (state.goneSince ?? now) : undefined });
  }
  for (const [formId, state] of known) {
    const { goneSince = now } = state;
    if (!listed.has(formId) && now - goneSince < WINDOW_MS) watched.set(formId, { ...state, goneSince });
  }
  return watched;
}

/** Whether nothing can appear in a form: the list lacks it, or it has been archived for a week and was read to its end. */
export function isResting(
  session: PollSession,
  { listed }: WatchedForms,
  [formId, form]: [string, FormState],
): boolean {
  const { goneSince, count } = form;
  if (goneSince === undefined) return false;
  const goneMs = (session.earlierClock() ?? session.clock.now()) - goneSince;
  return listed?.has(formId) === false || (count !== undefined && goneMs >= WINDOW_MS);
}

/** Up to when a list certainly shows the forms that were created: the same for a while, so that not every poll has something to store. */
function settledTime({ earlierClock, clock }: PollSession, listed: Map<string, ListedForm>): number {
  // Where the service does not tell its time, its newest form does: a local clock that is ahead must not make new forms old.
  const newest = Math.max(0, ...[...listed.values()].map(({ createdMs }) => createdMs));
  const present = earlierClock() ?? Math.min(newest, clock.now());
  return present - (present % RECENT_MS) - RECENT_MS;
}
