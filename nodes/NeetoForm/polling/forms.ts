/** Which forms a poll watches, and what the list of forms says of them. */

import { readAll } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import { NodeApiError } from 'n8n-workflow';
import type { Page, Row } from '../api/parse';
import { WINDOW_MS } from './batch';
import { hasStatus, toPollError, type PollSession } from './session';
import { normalizeId, type TriggerSettings } from './settings';
import type { FormState, Life, TriggerState } from './state';

/** ms for the list of forms where it only saves requests. */
const SHORTCUT_MS = 8_000;

/** What is needed of a session to read the list of forms. */
export type ListSession = Pick<PollSession, 'node' | 'clock' | 'isTimeUp' | 'readForms' | 'parse'>;

/** What the list of forms says of one. */
export interface ListedForm {
  /** `submissions_count` */
  count?: number;
  isArchived: boolean;
  createdMs: number;
}

export interface FormList {
  forms: Map<string, ListedForm>;
  /** ms, the service's time at the first page. */
  serverTime?: number;
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
  session: ListSession,
  { triggerOn, formIds }: TriggerSettings,
  state: TriggerState | undefined,
): Promise<WatchedForms> {
  const known = state?.forms ?? new Map<string, FormState>();
  if (triggerOn === 'allActive') {
    const list = await readFormList(session);
    const created = [...list.forms.values()].map(({ createdMs }) => createdMs).filter((ms) => !Number.isNaN(ms));
    const newestForm = Math.max(state?.newestForm ?? 0, ...created);
    return {
      forms: activeForms(list, known, state?.newestForm, list.serverTime ?? session.clock.now()),
      list,
      newestForm,
    };
  }
  const forms = new Map(formIds.map((formId) => [formId, asActive(known.get(formId))]));
  return { forms, list: formIds.length > 1 ? await listAsShortcut(session, formIds.length) : undefined };
}

/** The list of forms, which tells which of them have news, or undefined where reading the forms themselves does without it. */
async function listAsShortcut(session: ListSession, forms: number): Promise<FormList | undefined> {
  try {
    const signal = session.clock.timeout(SHORTCUT_MS);
    const first = await session.readForms(1, signal);
    const pages = Math.ceil((first.total ?? first.rows.length) / PAGE_SIZE);
    return pages > forms ? undefined : await readFormList(session, first, signal);
  } catch (thrown) {
    const error = toPollError(session.node, thrown);
    if (hasStatus(error, '401', '429')) throw error;
    return undefined;
  }
}

/**
 * @param first page 1, if it was read
 * @param deadline ends the reading
 * @throws NodeApiError also when the time of the poll is not enough
 */
async function readFormList(session: ListSession, first?: Page, deadline?: AbortSignal): Promise<FormList> {
  let serverTime: number | undefined;
  const readPage = async (page: number, signal?: AbortSignal) => {
    const signals = [deadline, signal].filter((each) => each !== undefined);
    const read = page === 1 && first !== undefined ? first : await session.readForms(page, AbortSignal.any(signals));
    serverTime ??= read.serverTime;
    return read;
  };
  const pick = (form: Row): [formId: string, form: ListedForm] => [normalizeId(form.id), listed(form)];
  const { results, isComplete } = await session.parse(
    { what: 'forms' },
    async () => await readAll({ readPage, pick }, { mayContinue: () => !session.isTimeUp }),
  );
  if (!isComplete && session.isTimeUp) throw tooSlow(session, 'the list of forms');
  return { forms: new Map(results), serverTime };
}

function listed({ data, createdMs }: Row): ListedForm {
  const { submissions_count: count, is_archived: isArchived } = data;
  return { count: typeof count === 'number' ? count : undefined, isArchived: isArchived === true, createdMs };
}

/** @param now ms, the service's time */
function activeForms(
  { forms }: FormList,
  known: TriggerState['forms'],
  newestForm: number | undefined,
  now: number,
): WatchedForms['forms'] {
  const watched: WatchedForms['forms'] = new Map();
  for (const [formId, form] of forms) {
    const state = known.get(formId);
    // A form may be created and archived between two polls.
    if (state === undefined && form.isArchived && !isNewForm(form, newestForm)) continue;
    watched.set(formId, state && { ...state, life: nextLife(state.life, form, now) ?? state.life });
  }
  for (const [formId, state] of known) {
    const life = forms.has(formId) ? undefined : nextLife(state.life, undefined, now);
    if (life !== undefined) watched.set(formId, { ...state, life });
  }
  return watched;
}

/** Whether a form was created after all of the last list: times of creation are compared with each other, not with a clock. */
export function isNewForm({ createdMs }: Pick<ListedForm, 'createdMs'>, newestForm: number | undefined): boolean {
  return newestForm !== undefined && createdMs > newestForm;
}

/**
 * What becomes of a form by what the list of forms says of it now.
 *
 * @param listed undefined when the list lacks it
 * @param now ms, the service's time
 * @returns undefined when it has been missing for a whole window: it is forgotten
 */
export function nextLife(life: Life, listed: ListedForm | undefined, now: number): Life | undefined {
  if (listed === undefined) {
    if (life.status !== 'missing') return { status: 'missing', since: now };
    return now - life.since < WINDOW_MS ? life : undefined;
  }
  if (!listed.isArchived) return { status: 'active' };
  return life.status === 'archived' ? life : { status: 'archived', since: now };
}

/** Whether nothing can appear in a form any more, so that it is not read: it is missing, or archived for a whole window. */
export function isResting({ life, count }: FormState, now: number): boolean {
  if (life.status === 'archived') return count !== undefined && now - life.since >= WINDOW_MS;
  return life.status === 'missing';
}

/** A form that was chosen is read whatever the list says of it. */
function asActive(state: FormState | undefined): FormState | undefined {
  return state && { ...state, life: { status: 'active' } };
}

/** The time of a poll was not enough for what it has to read before it can go on. */
export function tooSlow({ node }: Pick<ListSession, 'node'>, what: string): NodeApiError {
  const message = `The service responds too slowly to read ${what} within one poll`;
  return new NodeApiError(
    node,
    { message },
    {
      message,
      description:
        'Nothing is lost: the next poll tries again. If it happens again and again, check the connection to the service.',
      failure: { cause: 'temporarily-unavailable' },
    },
  );
}
