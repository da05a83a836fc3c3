/** Reads the forms of a poll that are due, and notes whose turn it is in the next one. */

import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';
import { isNew, shares, type FormState } from './cursor';
import type { WatchedForm } from './forms';
import { isOpen, type Part } from './look';
import { formMemory, spreadLook, WINDOW_EVERY_MS, type FormMemory } from './memory';
import { toPollError } from './messages';
import { ATTEMPT_MS, type PollSession } from './session';

/** A window with fewer known IDs is read with what is recent: it takes one page either way, and a late finisher is found at once. */
const SMALL_WINDOW = 25;

/** What a poll reads of one form: what is recent, the window, or both. */
export interface Reading extends WatchedForm {
  state: FormState;
  /** From where a quick look begins to the end of the list. Undefined when the list of forms says that the form has no news. */
  recentPart?: Part;
  /** From the start of the window to where `recentPart` begins, or to the end of the list. Undefined when no look at it is due. */
  windowPart?: Part;
  /** New submissions, by ID. */
  rows: Map<string, Row>;
  /** The form's title and questions; undefined when items do without, and when the form does not tell. */
  details?: FormDetails;
  /** Whether they are known, or not needed. */
  isDescribed: boolean;
  /** Whether it failed because the time of the poll was over: then it has not had its share. */
  isCutOff: boolean;
  memory: FormMemory;
}

/**
 * Reads the forms that are due, in rounds of a page each: first what is recent of those with news, then the windows.
 *
 * @param forms those without state are left out
 * @returns the forms that were due, in the order of their turns; what failed is noted in each
 * @throws NodeApiError when the key is refused
 */
export async function readInRounds(session: PollSession, forms: WatchedForm[]): Promise<Reading[]> {
  const due = forms.flatMap((form) => startReading(session, form)).sort(byTurn);
  // Six forms at a time: if all pages were requested at once, the title and questions of the first form would wait for all of them.
  const turns = new RequestLimiter();
  const readRound = async (round: Reading[], part: 'recentPart' | 'windowPart') => {
    const read = async (form: Reading) => await turns.run(async () => await readPage(session, form, form[part]));
    await Promise.all(round.map(read));
  };
  // This ends when the time is up: then each request fails, and a form that failed is read no further.
  let round = due.filter(({ recentPart }) => recentPart !== undefined);
  for (; round.length > 0; round = withRoom(due, session.settings.maxSubmissions)) await readRound(round, 'recentPart');
  // Here the time is checked: a window for which none is left waits for the next poll, and has not failed.
  const isLeft = ({ windowPart, failure }: Reading) => isUnread(windowPart) && failure === undefined;
  for (round = due.filter(isLeft); round.length > 0 && !session.isTimeUp(); round = round.filter(isLeft))
    await readRound(round, 'windowPart');
  return due;
}

/** Forms with news come first, then the one that had its share longest ago. */
function byTurn(a: Reading, b: Reading): number {
  const newsFirst = Number(b.recentPart !== undefined) - Number(a.recentPart !== undefined);
  return newsFirst || a.memory.servedIn - b.memory.servedIn;
}

/** Decides what to read of a form: quick, quick and window, or window. @returns nothing when the form is not due, or has no state */
function startReading(session: PollSession, form: WatchedForm): Reading[] {
  const { formId, state } = form;
  if (state === undefined) return [];
  const memory = formMemory(session.memory, formId);
  const part = (start: number, end: number): Part => {
    return { start, shownTo: start, end, pages: session.pagesFrom(formId, start) };
  };
  const reading: Reading = { ...form, state, rows: new Map(), isDescribed: false, isCutOff: false, memory };
  const { from, recent, known } = state.cursor;
  const hasNews = form.count === undefined || form.count !== state.count;
  // A clock that was set back makes a look due as well.
  const isWindowDue = Math.abs(session.clock.now() - memory.lookedAt) >= WINDOW_EVERY_MS;
  // A look goes on where time cut off the last one. But submissions may wait from `recent` on, so it begins there at the latest.
  const windowStart = Math.min(memory.goesOnAt ?? from, recent);
  // 1. Nothing, or the window alone.
  if (!hasNews) return isWindowDue ? [{ ...reading, windowPart: part(windowStart, Infinity) }] : [];
  const quickStart = Object.keys(known).length < SMALL_WINDOW ? from : recent;
  const recentPart = part(quickStart, Infinity);
  // 2. The quick look alone; when the window is small, that shows all of it.
  if (!isWindowDue || windowStart >= quickStart) return [{ ...reading, recentPart }];
  // 3. Both: the window up to where the quick look began.
  return [{ ...reading, recentPart, windowPart: part(windowStart, quickStart) }];
}

/** The forms that read another page of what is recent. One that may be read further takes all that it is given. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const isLeft = ({ recentPart, failure }: Reading) => isUnread(recentPart) && failure === undefined;
  const needs = due.map((form) => (isLeft(form) ? Infinity : form.rows.size));
  const given = shares(maxSubmissions, needs);
  return due.filter((form, index) => isLeft(form) && form.rows.size < (given[index] ?? 0));
}

/** Reads the next page, and with the first new row the form's title and questions. @throws NodeApiError when the key is refused */
async function readPage(session: PollSession, form: Reading, part: Part | undefined): Promise<void> {
  if (part === undefined) return;
  let begun = session.clock.now();
  try {
    const { value: page } = await part.pages.next();
    if (page === undefined) return;
    for (const row of page.rows) if (isNew(form.state.cursor, row)) form.rows.set(row.id, row);
    begun = session.clock.now();
    if (form.rows.size > 0) await describe(session, form);
    part.shownTo = page.until;
  } catch (error) {
    form.failure = toPollError(session.node, error);
    if (hasStatus(error, '401')) throw form.failure;
    // A request that ran for the whole time of an attempt has failed by itself: the form is not cut off, and has had its share.
    form.isCutOff = session.isTimeUp() && session.clock.now() - begun < ATTEMPT_MS;
    // Nothing is emitted without the title and questions of the form.
    if (!form.isDescribed) form.rows.clear();
  }
}

/** Reads a form's title and questions, once. @throws NodeApiError */
async function describe(session: PollSession, form: Reading): Promise<void> {
  if (form.isDescribed) return;
  form.details = await session.readDetails(form.formId);
  form.isDescribed = true;
}

/** Up to where a form was read (ms): Infinity at the end of its list. */
export function readUntil({ state, recentPart, windowPart }: Reading): number {
  return Math.max(state.cursor.recent, recentPart?.shownTo ?? -Infinity, windowPart?.shownTo ?? -Infinity);
}

/**
 * Whether all of the window was shown in this poll, so that it may move on. A look that goes on where time cut off another one does not
 * count: late finishers may have appeared in what that one had shown.
 */
export function isWindowSeen({ state: { cursor }, recentPart, windowPart }: Reading): boolean {
  const isSeenBy = (part?: Part) => part !== undefined && part.start <= cursor.from && part.shownTo >= cursor.recent;
  return isSeenBy(recentPart) || isSeenBy(windowPart);
}

/** Notes which forms had their share, and where and when each window is looked at next. Called before the poll may fail. */
export function noteTurns(session: PollSession, batches: Array<Reading & { items: unknown[] }>): void {
  for (const [index, form] of batches.entries()) {
    // The first form goes to the back in any case, even if it got nothing: it must not stay the first and hold up the others.
    if (index === 0 || isBroken(form) || isServed(form)) form.memory.servedIn = session.memory.polls;
    noteWindow(form, session.clock.now(), index / batches.length);
  }
}

/** Whether a form had its share: something of it is emitted, or nothing was left to emit. */
function isServed(form: Reading & { items: unknown[] }): boolean {
  return form.items.length > 0 || (form.rows.size === 0 && readUntil(form) === Infinity);
}

/** Whether reading failed for another reason than time. Such a form had its turn as if it were served: others come before it. */
function isBroken({ failure, isCutOff }: Reading): boolean {
  return failure !== undefined && !isCutOff;
}

/** Notes where the next look at the window begins, and when it is due. @param spread 0 up to 1: the place of the form among the others */
function noteWindow(form: Reading, now: number, spread: number): void {
  const { memory, windowPart } = form;
  const isEnded = windowPart !== undefined && (isBroken(form) || !isUnread(windowPart));
  const isOver = isEnded || isWindowSeen(form);
  memory.goesOnAt = isOver ? undefined : windowPart?.shownTo;
  if (isOver) memory.lookedAt = memory.lookedAt > -Infinity ? now : spreadLook(now, spread);
}

function isUnread(part: Part | undefined): boolean {
  return part !== undefined && isOpen(part);
}
