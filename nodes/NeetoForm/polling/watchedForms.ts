import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { readAll } from '../api/completeList';
import type { Row } from '../api/parse';
import { ProcessMemory } from './processMemory';
import type { PollSession } from './session';
import { normalizeId, type TriggerSettings } from './settings';
import type { FormState, TriggerState } from './triggerState';

/** ms after which a form is read even if its number of submissions did not change: the number may lag, or be wrong. */
const RECHECK_MS = 10 * 60_000;

/** ms that this process remembers what polls read. */
const MEMORY_MS = 60 * 60_000;

/** How many pages the list of forms has, by trigger. */
const listPages = new ProcessMemory<number>();

/** ms when each form of a trigger is to be read again, by trigger. */
const rechecks = new ProcessMemory<Map<string, number>>();

/** What is needed of a session to read the list of forms. */
export interface ListSession extends Pick<PollSession, 'key' | 'clock' | 'isTimeUp' | 'readForms' | 'parse'> {
  context: Pick<IPollFunctions, 'getNode'>;
}

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
  /** What is known of each watched form; undefined for one of which nothing is known. */
  forms: Map<string, FormState | undefined>;
  /** Undefined when it was not read, because reading the forms themselves takes fewer requests. */
  list?: FormList;
}

/**
 * Finds the forms that a poll watches.
 *
 * @throws NodeApiError when the list of forms cannot be read
 */
export async function watchedForms(
  session: ListSession,
  { triggerOn, formIds }: TriggerSettings,
  state: TriggerState | undefined,
): Promise<WatchedForms> {
  const known = state?.forms ?? new Map<string, FormState>();
  if (triggerOn === 'allActive') {
    const list = await readFormList(session);
    return { forms: activeForms(list, known, state?.startedAt, session.clock.now()), list };
  }
  const forms = new Map(formIds.map((formId) => [formId, withoutArchiving(known.get(formId))]));
  const isNew = formIds.some((formId) => !known.has(formId));
  const pages = listPages.get(session.key, session.clock.now()) ?? 1;
  const isListCheaper = triggerOn === 'several' && (isNew || formIds.length > pages);
  return { forms, list: isListCheaper ? await readFormList(session) : undefined };
}

async function readFormList(session: ListSession): Promise<FormList> {
  let serverTime: number | undefined;
  let pages = 0;
  const readPage = async (page: number, signal?: AbortSignal) => {
    const read = await session.readForms(page, signal);
    // Without totals, an empty page follows the last one.
    if (read.rows.length > 0) pages = Math.max(pages, page);
    serverTime ??= read.serverTime;
    return read;
  };
  const pick = (form: Row): [formId: string, form: ListedForm] => [normalizeId(form.id), listed(form)];
  const { results, isComplete } = await session.parse(
    { what: 'forms' },
    async () => await readAll({ readPage, pick }, { mayContinue: () => !session.isTimeUp }),
  );
  if (!isComplete && session.isTimeUp) throw tooSlow(session, 'the list of forms');
  const now = session.clock.now();
  listPages.set(session.key, pages, now, MEMORY_MS);
  return { forms: new Map(results), serverTime };
}

function listed({ createdMs, data }: Row): ListedForm {
  const { submissions_count: count, is_archived: isArchived } = data;
  return {
    count: typeof count === 'number' ? count : undefined,
    isArchived: isArchived === true,
    createdMs,
  };
}

/** Active forms, those that were archived while they were watched, and those that a single list lacks. */
function activeForms(
  { forms, serverTime }: FormList,
  known: TriggerState['forms'],
  startedAt: number | undefined,
  now: number,
): WatchedForms['forms'] {
  const watched: WatchedForms['forms'] = new Map();
  for (const [formId, form] of forms) {
    const state = known.get(formId);
    if (!form.isArchived) watched.set(formId, withoutArchiving(state));
    else if (state !== undefined)
      watched.set(formId, { ...state, isMissing: undefined, archivedAt: state.archivedAt ?? serverTime ?? now });
    // It was created and archived between two polls.
    else if (startedAt !== undefined && form.createdMs > startedAt) watched.set(formId, undefined);
  }
  for (const [formId, state] of known) {
    if (!forms.has(formId) && state.isMissing !== true) watched.set(formId, { ...state, isMissing: true });
  }
  return watched;
}

function withoutArchiving(state: FormState | undefined): FormState | undefined {
  return state && { cursor: state.cursor, count: state.count };
}

/**
 * The forms to read in a poll, those first that come after the one where the last poll stopped. A form whose number of submissions did
 * not change since it was read to its end is left out, except every ten minutes: leaving it out can delay a submission, but not lose it.
 */
export function dueForms(
  session: Pick<ListSession, 'key' | 'clock'>,
  { forms, list }: Pick<WatchedForms, 'list'> & { forms: Map<string, FormState> },
  position: string | undefined,
): string[] {
  const now = session.clock.now();
  const times = recheckTimes(session, now);
  const isDue = ([formId, state]: [string, FormState]): boolean => {
    if (state.isResting === true || state.isMissing === true) return false;
    const form = list?.forms.get(formId);
    if (form === undefined || state.count === undefined || state.archivedAt !== undefined) return true;
    const recheckAt = times.get(formId) ?? nextRecheck(formId, now);
    times.set(formId, recheckAt);
    return form.count !== state.count || now >= recheckAt;
  };
  const due = [...forms]
    .filter(isDue)
    .map(([formId]) => formId)
    .sort();
  const isNext = (formId: string) => formId > (position ?? '');
  return [...due.filter(isNext), ...due.filter((formId) => !isNext(formId))];
}

/** Notes which forms were read; those that were not read to their end are due all the same, as their count is not known. */
export function noteReads(
  session: Pick<ListSession, 'key' | 'clock'>,
  formIds: string[],
  watched: Pick<WatchedForms, 'forms'>,
): void {
  const now = session.clock.now();
  const times = recheckTimes(session, now);
  for (const formId of formIds) times.set(formId, nextRecheck(formId, now));
  for (const formId of [...times.keys()]) if (!watched.forms.has(formId)) times.delete(formId);
}

function recheckTimes(session: Pick<ListSession, 'key' | 'clock'>, now: number): Map<string, number> {
  const times = rechecks.get(session.key, now) ?? new Map<string, number>();
  rechecks.set(session.key, times, now, MEMORY_MS);
  return times;
}

/** The next time of a form's own: these are spread evenly, so that no poll reads all forms. */
function nextRecheck(formId: string, now: number): number {
  let offset = 0;
  for (const character of formId) offset = (offset * 31 + character.charCodeAt(0)) % RECHECK_MS;
  return now - ((now - offset) % RECHECK_MS) + RECHECK_MS;
}

/** The time of a poll was not enough for what it has to read before it can go on. */
export function tooSlow({ context }: Pick<ListSession, 'context'>, what: string): NodeApiError {
  const message = `The service responds too slowly to read ${what} within one poll`;
  return new NodeApiError(
    context.getNode(),
    { message },
    {
      message,
      description:
        'Nothing is lost: the next poll tries again. If it happens again and again, check the connection to the service.',
      failure: { cause: 'temporarily-unavailable' },
    },
  );
}
