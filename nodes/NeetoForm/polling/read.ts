/** Reads the forms of a poll that are due: first what is recent, in rounds of a page each; then the windows. */

import { hasStatus, unlessHidden } from '../api/errors';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import { needsForm } from '../submissions/outputOptions';
import type { FormDetails } from '../submissions/questions';
import { isNew, shares } from './cursor';
import type { WatchedForms } from './forms';
import { lookAround, SMALL_WINDOW, type Seen } from './look';
import { firstLookedAt, formMemory, isLookDue, type FormMemory } from './memory';
import { toPollError, type PollError } from './messages';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';
import type { FormState } from './state';

/** What a poll reads of one form. */
export interface Reading {
  formId: string;
  form: FormState;
  hasNews: boolean;
  /** New submissions, by ID. */
  rows: Map<string, Row>;
  /** ms: everything that is recent and created before it was shown. Infinity at the end of the list. */
  until: number;
  /** The look at what is recent; undefined when nothing is, or it is over. */
  recent?: AsyncGenerator<Seen, void>;
  /** The form's title and questions; undefined when items do without, and when the form does not tell. */
  details?: FormDetails;
  /** Whether they are known, or not needed. */
  isDescribed: boolean;
  /** Why the form could not be read to its end. What was read before stays. */
  failure?: PollError;
  /** Whether it failed because the time of the poll was over: then it has not had its share. */
  isCutOff: boolean;
  /** The look at the window: `due`, `shown`, or part of the look at what is `recent`. */
  window: 'not due' | 'due' | 'recent' | 'shown';
  memory: FormMemory;
}

/**
 * Reads the forms with news, as the list of forms tells, and those whose window is due for a look. First come those with news; in each
 * group, the form that had its share longest ago. Returns them in this order.
 */
export async function readForms(
  session: PollSession,
  settings: TriggerSettings,
  forms: Map<string, FormState>,
  { listed }: WatchedForms,
): Promise<Reading[]> {
  const due = [...forms]
    .map(([formId, form]) => startReading(session, formId, form, listed?.get(formId)?.count))
    .filter(({ hasNews, window }) => hasNews || window !== 'not due')
    .sort((a, b) => Number(b.hasNews) - Number(a.hasNews) || (a.memory.servedAt ?? 0) - (b.memory.servedAt ?? 0));
  // Several forms at a time: the title and questions of one do not wait for the pages of all others.
  const turns = new RequestLimiter();
  const readEach = async (some: Reading[], read: typeof readRecent) => {
    const turn = async (form: Reading) => await attempt(session, form, read(session, settings, form));
    await Promise.all(some.map(async (form) => await turns.run(async () => await turn(form))));
  };
  let round = due.filter(({ hasNews }) => hasNews);
  while (round.length > 0) {
    await readEach(round, readRecent);
    round = session.isTimeUp() ? [] : withRoom(due, settings.maxSubmissions);
  }
  const windows = due.filter(({ failure, window }) => failure === undefined && window === 'due');
  await readEach(windows, readWindow);
  due.forEach((form, index) => noteTurn(session, form, index, due.length));
  return due;
}

/** @param count of the form in the list of forms; undefined when it does not tell */
function startReading(session: PollSession, formId: string, form: FormState, count: number | undefined): Reading {
  const { from, recent, known } = form.cursor;
  const memory = formMemory(session.memory, formId);
  const hasNews = count === undefined || form.count !== count;
  const isDue = isLookDue(memory, session.clock.now());
  const isOneLook = isDue && hasNews && known.size < SMALL_WINDOW;
  const unread = { rows: new Map(), until: recent, isDescribed: false, isCutOff: false };
  const look = hasNews ? session.look(formId, isOneLook ? from : recent) : undefined;
  return {
    ...unread,
    formId,
    form,
    hasNews,
    memory,
    recent: look,
    window: !isDue ? 'not due' : isOneLook ? 'recent' : 'due',
  };
}

/** The forms that read another page of what is recent. A form that is not read to its end has endless needs. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const needs = due.map(({ recent, rows }) => (recent === undefined ? rows.size : Infinity));
  const given = shares(maxSubmissions, needs);
  const hasRoom = ({ rows }: Reading, index: number) => rows.size < (given[index] ?? 0);
  return due.filter((form, index) => form.recent !== undefined && form.failure === undefined && hasRoom(form, index));
}

/** Reads a form, and notes why that fails. @throws NodeApiError when the key is refused */
async function attempt(session: PollSession, form: Reading, reading: Promise<void>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    form.failure = toPollError(session.node, error);
    if (hasStatus(error, '401')) throw form.failure;
    form.isCutOff = session.isTimeUp();
    if (form.isDescribed) return;
    // Nothing is emitted without the title and questions of the form.
    form.rows.clear();
    form.until = form.form.cursor.recent;
  }
}

/** Reads the next page of what is recent. */
async function readRecent(session: PollSession, settings: TriggerSettings, form: Reading): Promise<void> {
  const { value: page } = (await form.recent?.next()) ?? {};
  if (page === undefined) return;
  await show(session, settings, form, page);
  form.until = page.until;
  if (page.until === Infinity) form.recent = undefined;
  if (form.window === 'recent' && page.until >= form.form.cursor.recent) form.window = 'shown';
}

/** Looks at a window, and notes where time cuts that off. */
async function readWindow(session: PollSession, settings: TriggerSettings, form: Reading): Promise<void> {
  const { from, recent } = form.form.cursor;
  if (session.isTimeUp()) return;
  const end = form.hasNews ? recent : Infinity;
  const lookFrom = (ms: number) => session.look(form.formId, ms);
  for await (const page of lookAround(lookFrom, from, Math.max(from, form.memory.goesOnAt ?? from), end)) {
    await show(session, settings, form, page);
    form.memory.goesOnAt = page.until;
    if (page.until === Infinity) form.until = page.until;
    if (session.isTimeUp()) return;
  }
  form.window = 'shown';
}

/** Takes what is new of a page, and with the first new row reads the form's title and questions. */
async function show(session: PollSession, settings: TriggerSettings, form: Reading, { rows }: Seen): Promise<void> {
  for (const row of rows) if (isNew(form.form.cursor, row)) form.rows.set(row.id, row);
  if (form.rows.size === 0 || form.isDescribed) return;
  if (needsForm(settings.outputOptions)) form.details = await unlessHidden(session.readForm(form.formId));
  form.isDescribed = true;
}

/** Notes when a form had its turn. @param index its place among as many as `count` */
function noteTurn(session: PollSession, form: Reading, index: number, count: number): void {
  const { memory, failure, isCutOff, window } = form;
  const now = session.clock.now();
  // Of a rate limit, nobody knows which form met it.
  const isBroken = failure !== undefined && !isCutOff && !hasStatus(failure, '429');
  // The first had its chance, and a broken form costs no more than others.
  if (isBroken || index === 0) memory.servedAt = now;
  if (window === 'not due' || !(isBroken || window === 'shown')) return;
  memory.lookedAt = memory.lookedAt === undefined ? firstLookedAt(now, index, count) : now;
  memory.goesOnAt = undefined;
}
