/** Reads the forms of a poll that are due, in rounds of a page each: first what is recent, then the windows. */

import type { INodeExecutionData } from 'n8n-workflow';
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

/** Known IDs of a window that fits into the smallest page. */
const SMALL_WINDOW = 25;

/** What a poll reads of one form. */
export interface Reading extends WatchedForm {
  state: FormState;
  /** What is recent, when there are news: the list of forms says so, or does not tell. */
  recent: Part;
  /** The window when it is due for a look, up to what is recent; or to the end, when there are no news. */
  window: Part;
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
 * Reads what is recent of the forms with news, as the list of forms tells, then the windows that are due. In each round, those with news
 * come first, and of these the form that had its share longest ago. Returns them in this order.
 */
export async function readForms(
  session: PollSession,
  maxSubmissions: number,
  forms: WatchedForm[],
): Promise<Reading[]> {
  const due = forms
    .flatMap((form) => startReading(session, form))
    .sort((a, b) => Number(isOpen(b.recent)) - Number(isOpen(a.recent)) || a.memory.servedIn - b.memory.servedIn);
  // Several forms at a time: the title and questions of one do not wait for the pages of all others.
  const turns = new RequestLimiter();
  const readRound = async (round: Reading[], part: 'recent' | 'window') => {
    const read = async (form: Reading) => await turns.run(async () => await readPage(session, form, form[part]));
    await Promise.all(round.map(read));
  };
  let round = due.filter(({ recent }) => isOpen(recent));
  for (; round.length > 0; round = session.isTimeUp() ? [] : withRoom(due, maxSubmissions))
    await readRound(round, 'recent');
  const isLeft = ({ window, failure }: Reading) => isOpen(window) && failure === undefined;
  for (round = due.filter(isLeft); round.length > 0 && !session.isTimeUp(); round = round.filter(isLeft))
    await readRound(round, 'window');
  return due;
}

/** @returns nothing when the form is not due */
function startReading(session: PollSession, form: WatchedForm): Reading[] {
  const { formId, count, state } = form;
  if (state === undefined) return [];
  const { cursor } = state;
  const memory = formMemory(session.memory, formId);
  const hasNews = count === undefined || state.count !== count;
  // A clock that was set back makes a look due as well.
  const isDue = Math.abs(session.clock.now() - memory.lookedAt) >= WINDOW_EVERY_MS;
  // A small window costs no request more than what is recent.
  const first = hasNews && Object.keys(cursor.known).length < SMALL_WINDOW ? cursor.from : cursor.recent;
  // What waits is read again, wherever the last look ended.
  const start = isDue ? Math.min(memory.goesOnAt ?? cursor.from, first) : first;
  const part = (ms: number, end: number): Part => {
    return { start: ms, shownTo: ms, end, pages: session.look(formId, ms) };
  };
  const recent = part(first, hasNews ? Infinity : first);
  const window = part(start, isDue && !hasNews ? Infinity : first);
  if (!isOpen(recent) && !isOpen(window)) return [];
  return [{ ...form, state, recent, window, rows: new Map(), isDescribed: false, isCutOff: false, memory }];
}

/** The forms that read another page of what is recent. One that may be read further takes all that it is given. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const isLeft = ({ recent, failure }: Reading) => isOpen(recent) && failure === undefined;
  const needs = due.map((form) => (isLeft(form) ? Infinity : form.rows.size));
  const given = shares(maxSubmissions, needs);
  return due.filter((form, index) => isLeft(form) && form.rows.size < (given[index] ?? 0));
}

/** Reads the next page, and with the first new row the form's title and questions. @throws NodeApiError when the key is refused */
async function readPage(session: PollSession, form: Reading, part: Part): Promise<void> {
  let begun = session.clock.now();
  try {
    const { value: page } = await part.pages.next();
    if (page === undefined) return;
    for (const row of page.rows) if (isNew(form.state.cursor, row)) form.rows.set(row.id, row);
    if (form.rows.size > 0 && !form.isDescribed) {
      begun = session.clock.now();
      form.details = await session.readDetails(form.formId);
      form.isDescribed = true;
    }
    part.shownTo = page.until;
  } catch (error) {
    form.failure = toPollError(session.node, error);
    if (hasStatus(error, '401')) throw form.failure;
    // A request that had the time of an attempt had its chance.
    form.isCutOff = session.isTimeUp() && session.clock.now() - begun < ATTEMPT_MS;
    // Nothing is emitted without the title and questions of the form.
    if (!form.isDescribed) form.rows.clear();
  }
}

/** Up to where a form was shown (ms): Infinity at the end of its list. */
export function shownTo({ state, recent, window }: Reading): number {
  return Math.max(state.cursor.recent, recent.shownTo, window.shownTo);
}

/** Whether all of the window was shown, so that it may move on. */
export function isWindowSeen({ state, recent, window }: Reading): boolean {
  const { cursor } = state;
  return [recent, window].some((part) => part.start <= cursor.from && part.shownTo >= cursor.recent);
}

/** Notes whose turn it was, and where and when a window is looked at next, before the poll may fail. @param made the items of each */
export function noteTurns({ memory, clock }: PollSession, readings: Reading[], made: INodeExecutionData[][]): void {
  for (const [index, form] of readings.entries()) {
    const { window, failure } = form;
    const isServed = (made[index]?.length ?? 0) > 0 || (form.rows.size === 0 && shownTo(form) === Infinity);
    const isBroken = failure !== undefined && !form.isCutOff;
    // The first had its chance: it must not stay the first. A broken form costs no more than others.
    if (isServed || isBroken || index === 0) form.memory.servedIn = memory.polls;
    const isDue = window.start < window.end;
    const isOver = isWindowSeen(form) || (isDue && (isBroken || !isOpen(window)));
    form.memory.goesOnAt = isDue && !isOver ? window.shownTo : undefined;
    const now = clock.now();
    if (isOver) form.memory.lookedAt = form.memory.lookedAt > -Infinity ? now : spreadLook(now, index, readings.length);
  }
}
