/** Which forms a poll watches, and from where it reads a form of which nothing is known. */

import { PAGE_SIZE } from '../api/endpoints';
import { toNodeError } from '../api/messages';
import { hasStatus, type NodeError } from '../api/nodeErrors';
import { UnexpectedResponse, type Row } from '../api/parse';
import { numberOf } from '../json';
import { incomplete } from '../lists/list';
import { oneLine } from '../text';
import {
  cursorFrom,
  nextCursor,
  RECENT_MS,
  secondOf,
  WINDOW_MS,
  type FormState,
  type TriggerState,
} from '../watching/cursor';
import { formMemory, spreadLook } from './memory';
import type { PollSession } from './session';
import { maxKnownOf } from './shares';

/** A form that a poll watches. If the list of forms was read, and has the form, that list tells its title and its `submissions_count`. */
export interface WatchedForm {
  formId: string;
  title?: string;
  count?: number;
  /** Whether the form is archived, and the whole workspace is watched. A chosen form is read in any case. */
  isArchived: boolean;
}

/** A form that could not be read. */
export interface FormFailure extends WatchedForm {
  failure: NodeError;
}

/** A form of which something is known. */
export interface KnownForm extends WatchedForm {
  state: FormState;
}

/** A form of which nothing is known. */
export interface UnknownForm {
  form: WatchedForm;
  /** If the form is new in a whole workspace, its creation time: all of its submissions are new. */
  newSince?: number;
}

export interface WatchedForms {
  known: KnownForm[];
  unknown: UnknownForm[];
  /** The states of the forms that the list of a whole workspace lacks, by ID. They are kept for a week, and the forms are not read. */
  missing: Map<string, FormState>;
  /** See `TriggerState`. */
  listedTo?: number;
}

/** Finds the forms that a poll watches. @throws NodeApiError or UserError when the list of a whole workspace cannot be read */
export async function findForms(session: PollSession, state: TriggerState | undefined): Promise<WatchedForms> {
  const states = new Map(Object.entries(state?.forms ?? {}));
  if (session.settings.triggerOn === 'allActive') return await findWorkspaceForms(session, states, state?.listedTo);
  return await findChosenForms(session, states);
}

async function findChosenForms(session: PollSession, states: Map<string, FormState>): Promise<WatchedForms> {
  const { triggerOn, formIds } = session.settings;
  // The list tells which of the chosen forms have news. Without it, all of them are read.
  const reading = triggerOn === 'several' ? session.readForms({ mayRetry: false }) : undefined;
  const listed = await reading?.catch((error: unknown) => {
    if (hasStatus(error, '401')) throw error;
    return undefined;
  });
  const watched: WatchedForms = { known: [], unknown: [], missing: new Map() };
  for (const formId of formIds) {
    const form = { ...toldBy(formId, listed?.get(formId)), isArchived: false };
    const state = states.get(formId);
    // A chosen form is never missing. If the whole workspace is watched again later, and its list lacks the form, its week begins then.
    if (state !== undefined) watched.known.push(knownForm(form, state));
    else watched.unknown.push({ form });
  }
  return watched;
}

/** Finds the forms of a whole workspace: those of the list, and for a week those that the list lacks. */
async function findWorkspaceForms(
  session: PollSession,
  states: Map<string, FormState>,
  lastListedTo: number | undefined,
): Promise<WatchedForms> {
  const rows = await session.readForms({ mayRetry: true });
  const listed = new Map([...rows].map(([formId, row]) => [formId, requireTime(session, row)]));
  // If `listedTo` went back with a clock that was set back, old forms would count as new, with all their submissions.
  const listedTo = Math.max(lastListedTo ?? 0, listCompleteTo(session, listed));
  const watched: WatchedForms = { known: [], unknown: [], missing: new Map(), listedTo };
  for (const [formId, row] of listed) {
    const form = { ...toldBy(formId, row), isArchived: row.data.is_archived === true };
    const state = states.get(formId);
    // If the whole workspace was not watched before, no form counts as new.
    const isNew = row.createdMs > (lastListedTo ?? Infinity);
    if (state !== undefined) watched.known.push(knownForm(form, state));
    // An unknown form that is archived is watched only if it is new, or was created in the minutes before the first list: it may have submissions
    // from the time before it was archived.
    else if (!form.isArchived || row.createdMs > (lastListedTo ?? listedTo))
      watched.unknown.push({ form, newSince: isNew ? row.createdMs : undefined });
  }
  const now = session.presentTime() ?? session.clock.now();
  for (const [formId, state] of states) {
    const { missingSince = now } = state;
    if (!listed.has(formId) && now - missingSince < WINDOW_MS) watched.missing.set(formId, { ...state, missingSince });
  }
  return watched;
}

/** A form that is watched is not missing. One that is restored is read again when it is archived the next time. */
function knownForm(form: WatchedForm, state: FormState): KnownForm {
  const wasArchived = form.isArchived ? state.wasArchived : undefined;
  return { ...form, state: { ...state, missingSince: undefined, wasArchived } };
}

function requireTime({ node }: PollSession, { createdMs, ...row }: Row) {
  // Without its creation time, a new form would count as old, and its first submissions would be lost.
  if (createdMs === undefined) throw toNodeError(node, new UnexpectedResponse("a form has no 'created_at'"));
  return { ...row, createdMs };
}

function toldBy(formId: string, listed: Row | undefined): Omit<WatchedForm, 'isArchived'> {
  if (listed === undefined) return { formId };
  return { formId, title: oneLine(listed.data.title), count: numberOf(listed.data.submissions_count) };
}

/**
 * Whether a form may have new submissions: its count has changed, or is not known. An archived form also has news until it was read once: a deletion
 * may have balanced what came before it was archived. Without a count, it is not read.
 */
export function mayHaveNews({ count, state, isArchived }: KnownForm): boolean {
  if (count === undefined) return !isArchived;
  return count !== state.count || (isArchived && state.wasArchived !== true);
}

/** A time 15 to 30 minutes ago: the list has all forms that were created before that time. It is rounded, so that polls rarely have to store it. */
function listCompleteTo({ presentTime, clock }: PollSession, listed: Map<string, { createdMs: number }>): number {
  // Where the service does not tell its time, its newest form does. The local clock may be ahead, and then later forms would not count as new.
  const newest = Math.max(0, ...[...listed.values()].map(({ createdMs }) => createdMs));
  const present = presentTime() ?? Math.min(newest, clock.now());
  return present - (present % RECENT_MS) - RECENT_MS;
}

/** How a form was started. */
export type Start =
  /** At a time from which this poll reads it. */
  | { kind: 'at a time'; form: KnownForm }
  /** After its newest page: what that page shows, and all that is older, is never emitted. This poll does not read the form again. */
  | { kind: 'after its newest page'; form: KnownForm }
  /** A form that could not be read. In a whole workspace, it starts at the present time. A chosen form stays unknown. */
  | { kind: 'failed'; failed: FormFailure; form?: KnownForm };

/**
 * Starts each form of which nothing is known:
 * - At Start From, if this is the first publication and the option is set.
 * - At its creation, if the whole workspace is watched and the form is new.
 * - Otherwise after its newest page.
 *
 * @throws NodeApiError when the key is refused
 */
export async function startForms(session: PollSession, unknown: UnknownForm[], isFirst: boolean): Promise<Start[]> {
  const { triggerOn, startFrom } = session.settings;
  // A form that is started knows one page of IDs at most.
  const maxKnown = maxKnownOf(unknown.map(() => PAGE_SIZE));
  const start = async ({ form, newSince }: UnknownForm, index: number): Promise<Start> => {
    const { formId, count } = form;
    // Its window is looked at within the next nine minutes, at another time than those of the other new forms.
    formMemory(session.memory, formId).lookedAt = spreadLook(session.clock.now(), index / unknown.length);
    const since = isFirst ? startFrom : newSince;
    if (since !== undefined) return { kind: 'at a time', form: { ...form, state: { cursor: cursorFrom(since) } } };
    try {
      // `count` is from before this request. If a submission arrives in between, the next list has another count, and the form is read.
      const state = { cursor: await afterNewest(session, formId, maxKnown), count };
      return { kind: 'after its newest page', form: { ...form, state } };
    } catch (error) {
      const failure = toNodeError(session.node, error);
      if (hasStatus(failure, '401')) throw failure;
      const failed = { ...form, failure };
      // A chosen form gets no state: an activation then fails, and a scheduled poll leaves the form to the next one.
      if (triggerOn !== 'allActive') return { kind: 'failed', failed };
      const now = secondOf(session.presentTime() ?? session.clock.now());
      return { kind: 'failed', failed, form: { ...form, state: { cursor: cursorFrom(now), count } } };
    }
  };
  return await Promise.all(unknown.map(start));
}

/**
 * The cursor of a form that starts after its newest page. What that page shows is known, as if a poll had emitted it, or lies before the window.
 *
 * @throws NodeApiError; UserError when the page is empty, and its total is not 0
 */
async function afterNewest(session: PollSession, formId: string, maxKnown: number): Promise<FormState['cursor']> {
  const { rows, total, isFull } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
  // Without any row, the window would have to begin in 1970, and everything that the page did not show would be new.
  if (rows.length === 0 && total > 0) throw incomplete('submissions', 0, total);
  // If there may be a page 2, the window begins 1 ms after the last row of page 1. That row's millisecond is left out: page 2 may have other rows of
  // it, and these must not be new.
  const from = isFull || rows.length < total ? (rows.at(-1)?.createdMs ?? 0) + 1 : 0;
  const read = { rows: new Map(), until: Infinity, now: session.presentTime(), isWindowSeen: true };
  return nextCursor(cursorFrom(from), read, rows, maxKnown);
}
