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

/** A quick look shows the whole window if it has fewer known IDs than this: that takes one page, too, and finds late finishers at once. */
const SMALL_WINDOW = 25;

/** What a poll reads of one form: what is recent, the window, or both. */
export interface Reading extends WatchedForm {
  state: FormState;
  /** The quick look, to the end of the list. Undefined when the list of forms says that the form has no news. */
  recentPart?: Part;
  /**
   * The look at the window, up to where the quick look begins, or to the end of the list. Undefined when it is not due, or when nothing of the
   * window is left before the quick look.
   */
  windowPart?: Part;
  /** New submissions, by ID. */
  rows: Map<string, Row>;
  /** The form's title and questions. Undefined before they were read, when items do without them, and when the form answers 403 or 404. */
  details?: FormDetails;
  /** Whether `details` is final: read, not needed, or refused. */
  isDescribed: boolean;
  /** Whether it failed because the time of the poll was over. Then it counts as not served (see `noteTurns`). */
  isCutOff: boolean;
  memory: FormMemory;
}

/**
 * Reads the forms that are due, in rounds of one page of each: first the quick looks, then the looks at windows.
 *
 * @param forms those without state are left out
 * @returns the forms that were due, in the order of their turns. A form that could not be read has its failure in it
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
  // When the time of the poll is over, each request fails, and a form that failed is not in the next round. So these rounds end.
  let round = due.filter(({ recentPart }) => recentPart !== undefined);
  for (; round.length > 0; round = withRoom(due, session.settings.maxSubmissions)) await readRound(round, 'recentPart');
  // A window for which no time is left has not failed: it waits for the next poll. Therefore the time is checked before each round.
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

/**
 * Decides what to read of a form: a quick look, a look at the window, or both.
 *
 * @returns nothing when neither is due, or the form has no state
 */
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
  // The difference may be negative when the clock was set back. Without `abs`, no look would be due for hours.
  const isWindowDue = Math.abs(session.clock.now() - memory.lookedAt) >= WINDOW_EVERY_MS;
  // A look that the poll's time cut off goes on at `goesOnAt`, but at `recent` at the latest: submissions that were created later may have been
  // read but not emitted, and have to be read again.
  const windowStart = Math.min(memory.goesOnAt ?? from, recent);
  // 1. Nothing, or the window alone.
  if (!hasNews) return isWindowDue ? [{ ...reading, windowPart: part(windowStart, Infinity) }] : [];
  const quickStart = Object.keys(known).length < SMALL_WINDOW ? from : recent;
  const recentPart = part(quickStart, Infinity);
  // 2. The quick look alone, if no window look is due, or nothing of the window is left before the quick look.
  if (!isWindowDue || windowStart >= quickStart) return [{ ...reading, recentPart }];
  // 3. Both: the window up to where the quick look began.
  return [{ ...reading, recentPart, windowPart: part(windowStart, quickStart) }];
}

/**
 * The forms whose quick look reads another page. Max Submissions is divided evenly among all forms; a form reads on until it has found its
 * share.
 */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const isLeft = ({ recentPart, failure }: Reading) => isUnread(recentPart) && failure === undefined;
  const needs = due.map((form) => (isLeft(form) ? Infinity : form.rows.size));
  const given = shares(maxSubmissions, needs);
  return due.filter((form, index) => isLeft(form) && form.rows.size < (given[index] ?? 0));
}

/** Reads the next page, and with the first new row the form's title and questions. @throws NodeApiError when the key is refused */
async function readPage(session: PollSession, form: Reading, part: Part | undefined): Promise<void> {
  if (part === undefined) return;
  /** ms: when the request that is under way began. */
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
    // A request that ran as long as an attempt may take has failed by itself, even if the poll's time is over, too.
    form.isCutOff = session.isTimeUp() && session.clock.now() - begun < ATTEMPT_MS;
    // Where items need the title and questions of the form, nothing is emitted without them.
    if (!form.isDescribed) form.rows.clear();
  }
}

/** Reads a form's title and questions, once. @throws NodeApiError */
async function describe(session: PollSession, form: Reading): Promise<void> {
  if (form.isDescribed) return;
  form.details = await session.readDetails(form.formId);
  form.isDescribed = true;
}

/** The time (ms) up to which a form was read, late finishers aside: what was created before it is known or in `rows`. Infinity: to the end. */
export function readUntil({ state, recentPart, windowPart }: Reading): number {
  return Math.max(state.cursor.recent, recentPart?.shownTo ?? -Infinity, windowPart?.shownTo ?? -Infinity);
}

/**
 * Whether this poll has shown the whole window, so that the window may move on. A look that began after the window's start, because it went on
 * with an earlier one, does not count: late finishers may have appeared in what the earlier one had shown.
 */
export function isWindowSeen({ state: { cursor }, recentPart, windowPart }: Reading): boolean {
  // What was created at `recent` or later is left to the quick looks.
  const isSeenBy = (part?: Part) => part !== undefined && part.start <= cursor.from && part.shownTo >= cursor.recent;
  return isSeenBy(recentPart) || isSeenBy(windowPart);
}

/**
 * Notes which forms had their share, and where and when each window is looked at next. A poll that read nothing throws, and this is called
 * before it does: otherwise, the next poll would begin with the same forms again.
 */
export function noteTurns(session: PollSession, batches: Array<Reading & { items: unknown[] }>): void {
  for (const [index, form] of batches.entries()) {
    // The first form goes to the back even if it got nothing. Otherwise it could stay the first for ever, and hold up the others.
    if (index === 0 || isBroken(form) || isServed(form)) form.memory.servedIn = session.memory.polls;
    noteWindow(form, session.clock.now(), index / batches.length);
  }
}

/** Whether a form had its share: something of it is emitted, or nothing was left to emit. */
function isServed(form: Reading & { items: unknown[] }): boolean {
  return form.items.length > 0 || (form.rows.size === 0 && readUntil(form) === Infinity);
}

/** Whether reading failed for another reason than time. Such a form counts as served, so that others come before it. */
function isBroken({ failure, isCutOff }: Reading): boolean {
  return failure !== undefined && !isCutOff;
}

/** Notes where the next look at the window begins, and when it is due. @param spread the place of the form among the others, 0 up to 1 */
function noteWindow(form: Reading, now: number, spread: number): void {
  const { memory, windowPart } = form;
  // `goesOnAt` means that a look was cut off, and so was still due. If it has no `windowPart`, nothing was left of it before the quick look (case 2
  // of `startReading`).
  const isEnded = windowPart === undefined ? memory.goesOnAt !== undefined : isBroken(form) || !isUnread(windowPart);
  // A small window is seen by the quick look alone.
  const isOver = isEnded || isWindowSeen(form);
  memory.goesOnAt = isOver ? undefined : windowPart?.shownTo;
  if (isOver) memory.lookedAt = memory.lookedAt > -Infinity ? now : spreadLook(now, spread);
}

function isUnread(part: Part | undefined): boolean {
  return part !== undefined && isOpen(part);
}
