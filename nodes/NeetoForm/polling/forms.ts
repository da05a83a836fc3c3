/** Which forms a poll watches, and what the list of forms says of them. */

import { anySignal } from '../api/clock';
import { readAll } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { RECENT_MS, WINDOW_MS } from './batch';
import { tooSlow, toPollError } from './messages';
import type { PollSession } from './session';
import { normalizeId, type TriggerSettings } from './settings';
import type { FormState, TriggerState } from './state';

/** ms for the list of forms where it only saves requests. */
const SHORTCUT_MS = 8_000;

/** What the list of forms says of one. */
export interface ListedForm {
  /** `submissions_count` */
  count?: number;
  isArchived: boolean;
  createdMs: number;
}

export interface FormList {
  forms: Map<string, ListedForm>;
  /** ms, the service's time at the first page; without it, the local clock. */
  readAt: number;
}

/** The forms of one poll. */
export interface WatchedForms {
  /** ms, with All Active Forms: a form that was created later is new. */
  listedTo?: number;
  /** What is known of each watched form; undefined for one of which nothing is known. */
  forms: Map<string, FormState | undefined>;
  /** Undefined when it was not read: one form, a list of more pages than forms are chosen, or one that cannot be read. */
  list?: FormList;
}

/**
 * Finds the forms that a poll watches.
 *
 * @returns what is known of them, and what the list says
 * @throws NodeApiError when all active forms are watched and their list cannot be read, or when the service refuses the key or the rate
 */
export async function watchedForms(
  session: PollSession,
  { triggerOn, formIds }: TriggerSettings,
  state: TriggerState | undefined,
): Promise<WatchedForms> {
  const known = state?.forms ?? new Map<string, FormState>();
  if (triggerOn === 'allActive') {
    const list = await readFormList(session);
    if (list === undefined) throw tooSlow(session, 'the list of forms');
    const to = Math.max(state?.listedTo ?? 0, listedTo(session, list));
    return { forms: activeForms(list, known, state?.listedTo ?? to), list, listedTo: to };
  }
  // A form that was chosen is read whatever the list says of it.
  const asChosen = (form?: FormState) => form && { ...form, archivedSince: undefined, missingSince: undefined };
  const forms = new Map(formIds.map((formId) => [formId, asChosen(known.get(formId))]));
  return { forms, list: formIds.length > 1 ? await listAsShortcut(session, formIds.length) : undefined };
}

/** The list of forms, which tells which of them have news, or undefined where reading the forms themselves does without it. */
async function listAsShortcut(session: PollSession, forms: number): Promise<FormList | undefined> {
  try {
    return await readFormList(session, forms, session.clock.timeout(SHORTCUT_MS));
  } catch (thrown) {
    const error = toPollError(session.node, thrown);
    if (hasStatus(error, '401', '429')) throw error;
    return undefined;
  }
}

/**
 * @param maxPages a longer list is not read
 * @param deadline ends the reading
 * @returns undefined when the list is longer, or the time for reading was over before its end
 * @throws NodeApiError
 */
async function readFormList(
  session: PollSession,
  maxPages = Infinity,
  deadline?: AbortSignal,
): Promise<FormList | undefined> {
  let readAt = session.clock.now();
  let pages = 1;
  const readPage = async (number: number, signal?: AbortSignal) => {
    const page = await session.readForms(number, anySignal(deadline, signal));
    if (number === 1) readAt = page.serverTime ?? readAt;
    pages = Math.max(pages, number, Math.ceil(page.total / PAGE_SIZE));
    return page;
  };
  const pick = (form: Row): [formId: string, form: ListedForm] => [normalizeId(form.id), listed(form)];
  const mayContinue = () => !session.isTimeUp && pages <= maxPages;
  const { results, isComplete } = await readAll({ readPage, pick }, { mayContinue });
  // Where its pages contradict each other, what they show has to do.
  return isComplete || mayContinue() ? { forms: new Map(results), readAt } : undefined;
}

function listed({ data, createdMs }: Row): ListedForm {
  const { submissions_count: count, is_archived: isArchived } = data;
  return { count: typeof count === 'number' ? count : undefined, isArchived: isArchived === true, createdMs };
}

/** With All Active Forms: those of the list, and for a whole window those that it lacks. */
function activeForms({ forms, readAt }: FormList, known: TriggerState['forms'], before: number): WatchedForms['forms'] {
  const watched: WatchedForms['forms'] = new Map();
  for (const [formId, form] of forms) {
    const state = known.get(formId);
    // One that may have been created and archived between two polls is watched; others are when they are restored.
    if (state === undefined && form.isArchived && !isNewForm(form, before)) continue;
    const archivedSince = form.isArchived ? (state?.archivedSince ?? readAt) : undefined;
    watched.set(formId, state && { ...state, archivedSince, missingSince: undefined });
  }
  for (const [formId, state] of known) {
    const { missingSince = readAt } = state;
    if (!forms.has(formId) && readAt - missingSince < WINDOW_MS) watched.set(formId, { ...state, missingSince });
  }
  return watched;
}

/**
 * Up to when a list certainly shows the forms that were created: a while before it was read, because a list may lag; and the same for a
 * while, so that not every poll has something to store.
 */
function listedTo({ clock, serverTime }: PollSession, { forms }: FormList): number {
  const created = [...forms.values()].map(({ createdMs }) => createdMs).filter((ms) => Number.isFinite(ms));
  // Where the service does not tell its time, its newest form does: a local clock that is ahead must not make new forms old.
  const present = serverTime ?? (created.length > 0 ? Math.max(...created) : Infinity);
  const now = Math.min(present, clock.now());
  return now - (now % RECENT_MS) - RECENT_MS;
}

/** Whether a form was created since the last list. @param listedTo ms, of that list; undefined without one */
export function isNewForm({ createdMs }: Pick<ListedForm, 'createdMs'>, listedTo: number | undefined): boolean {
  return listedTo !== undefined && createdMs > listedTo;
}
