/** Which forms a poll watches, and what the list of forms says of them. */

import { readAll } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { WINDOW_MS } from './batch';
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
  /** ms: when the newest form that a list has shown was created, with All Active Forms. */
  newestForm?: number;
  /** What is known of each watched form; undefined for one of which nothing is known. */
  forms: Map<string, FormState | undefined>;
  /** Undefined when it was not read: one form, a list that is longer than the forms, or one that cannot be read. */
  list?: FormList;
}

/**
 * Finds the forms that a poll watches.
 *
 * @throws NodeApiError when all active forms are watched and their list cannot be read, or when the service refuses the key
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
    const created = [...list.forms.values()].map(({ createdMs }) => createdMs).filter((ms) => !Number.isNaN(ms));
    const newestForm = Math.max(state?.newestForm ?? 0, ...created);
    return { forms: activeForms(list, known, state?.newestForm), list, newestForm };
  }
  // A form that was chosen is read whatever the list says of it.
  const asChosen = (form?: FormState) => form && { ...form, awaySince: undefined };
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
    const signals = [deadline, signal].filter((each) => each !== undefined);
    const page = await session.readForms(number, AbortSignal.any(signals));
    if (number === 1) readAt = page.serverTime ?? readAt;
    pages = Math.ceil((page.total ?? 0) / PAGE_SIZE);
    return page;
  };
  const pick = (form: Row): [formId: string, form: ListedForm] => [normalizeId(form.id), listed(form)];
  const mayContinue = () => !session.isTimeUp && pages <= maxPages;
  const { results, isComplete } = await session.parse(
    { what: 'forms' },
    async () => await readAll({ readPage, pick }, { mayContinue }),
  );
  return isComplete || mayContinue() ? { forms: new Map(results), readAt } : undefined;
}

function listed({ data, createdMs }: Row): ListedForm {
  const { submissions_count: count, is_archived: isArchived } = data;
  return { count: typeof count === 'number' ? count : undefined, isArchived: isArchived === true, createdMs };
}

/** With All Active Forms: those of the list, and for a whole window those that it lacks. */
function activeForms(
  { forms, readAt }: FormList,
  known: TriggerState['forms'],
  newestForm: number | undefined,
): WatchedForms['forms'] {
  const watched: WatchedForms['forms'] = new Map();
  for (const [formId, form] of forms) {
    const state = known.get(formId);
    // A form may be created and archived between two polls.
    if (state === undefined && form.isArchived && !isNewForm(form, newestForm)) continue;
    watched.set(formId, state && { ...state, awaySince: form.isArchived ? (state.awaySince ?? readAt) : undefined });
  }
  for (const [formId, state] of known) {
    const { awaySince = readAt } = state;
    if (!forms.has(formId) && readAt - awaySince < WINDOW_MS) watched.set(formId, { ...state, awaySince });
  }
  return watched;
}

/** Whether a form was created after all of the last list: times of creation are compared with each other, not with a clock. */
export function isNewForm({ createdMs }: Pick<ListedForm, 'createdMs'>, newestForm: number | undefined): boolean {
  return newestForm !== undefined && createdMs > newestForm;
}
