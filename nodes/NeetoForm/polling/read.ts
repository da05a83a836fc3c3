/** Reads the forms of a poll that are due, in rounds of a page each. */

import type { INodeExecutionData } from 'n8n-workflow';
import { hasStatus } from '../api/errors';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';
import { isNew, shares } from './cursor';
import type { WatchedForm } from './forms';
import type { Seen } from './look';
import { formMemory, type FormMemory } from './memory';
import { toPollError, type PollError } from './messages';
import type { PollSession } from './session';
import type { FormState } from './state';

/** ms between two looks at a window: with a poll a minute, a late finisher follows within ten minutes. */
const WINDOW_EVERY_MS = 9 * 60_000;

/** What a poll reads of one form. */
export interface Reading extends WatchedForm {
  state: FormState;
  /** Whether the list of forms says so, or does not tell. */
  hasNews: boolean;
  /** Whether the look begins with the window, or where time cut off the last look at it, unless that failed. */
  isWindowDue: boolean;
  /** ms: where the look begins, and up to where it has shown everything. Infinity at the end of the list. */
  start: number;
  shownTo: number;
  pages: AsyncGenerator<Seen, void>;
  /** New submissions, by ID. */
  rows: Map<string, Row>;
  /** The form's title and questions; undefined when items do without, and when the form does not tell. */
  details?: FormDetails;
  /** Whether they are known, or not needed. */
  isDescribed: boolean;
  /** Why the form could not be read to its end. What was read before stays. */
  failure?: PollError;
  /** Whether it failed because the time of the poll was over: then it has not had its share. */
  isCutOff: boolean;
  memory: FormMemory;
}

/**
 * Reads the forms with news, as the list of forms tells, and those whose window is due for a look. First come those with news; in each
 * group, the form that had its share longest ago. Returns them in this order.
 */
export async function readForms(
  session: PollSession,
  maxSubmissions: number,
  forms: WatchedForm[],
): Promise<Reading[]> {
  const due = forms
    .flatMap((form) => (form.state === undefined ? [] : [startReading(session, form, form.state)]))
    .filter((form) => form.hasNews || form.isWindowDue)
    .sort((a, b) => Number(b.hasNews) - Number(a.hasNews) || (a.memory.servedAt ?? 0) - (b.memory.servedAt ?? 0));
  // Several forms at a time: the title and questions of one do not wait for the pages of all others.
  const turns = new RequestLimiter();
  for (let round = due; round.length > 0; round = session.isTimeUp() ? [] : withRoom(due, maxSubmissions))
    await Promise.all(round.map(async (form) => await turns.run(async () => await readPage(session, form))));
  return due;
}

function startReading(session: PollSession, form: WatchedForm, state: FormState): Reading {
  const { formId, count } = form;
  const { from, recent } = state.cursor;
  const memory = formMemory(session.memory, formId);
  // A clock that was set back makes a look due as well.
  const isWindowDue = Math.abs(session.clock.now() - (memory.lookedAt ?? -Infinity)) >= WINDOW_EVERY_MS;
  // What waits is read again, wherever the last look ended.
  const start = isWindowDue ? Math.min(memory.goesOnAt ?? from, recent) : recent;
  return {
    ...form,
    state,
    hasNews: count === undefined || state.count !== count,
    isWindowDue,
    start,
    shownTo: start,
    pages: session.look(formId, start),
    rows: new Map(),
    isDescribed: false,
    isCutOff: false,
    memory,
  };
}

/** The forms that read another page. One that may be read further has endless needs. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const isOpen = ({ shownTo, failure }: Reading) => shownTo !== Infinity && failure === undefined;
  const needs = due.map((form) => (isOpen(form) ? Infinity : form.rows.size));
  const given = shares(maxSubmissions, needs);
  return due.filter((form, index) => isOpen(form) && form.rows.size < (given[index] ?? 0));
}

/** Reads the next page, and with the first new row the form's title and questions. @throws NodeApiError when the key is refused */
async function readPage(session: PollSession, form: Reading): Promise<void> {
  try {
    const { value: page } = await form.pages.next();
    if (page === undefined) return;
    for (const row of page.rows) if (isNew(form.state.cursor, row)) form.rows.set(row.id, row);
    if (form.rows.size > 0 && !form.isDescribed) {
      form.details = await session.readDetails(form.formId);
      form.isDescribed = true;
    }
    form.shownTo = page.until;
  } catch (error) {
    form.failure = toPollError(session.node, error);
    if (hasStatus(error, '401')) throw form.failure;
    form.isCutOff = session.isTimeUp();
    // Nothing is emitted without the title and questions of the form.
    if (!form.isDescribed) form.rows.clear();
  }
}

/** Notes which forms had their turn, before the poll may fail because nothing could be read. @param made the items of each */
export function noteTurns(session: PollSession, readings: Reading[], made: INodeExecutionData[][]): void {
  const now = session.clock.now();
  for (const [index, { memory, isWindowDue, rows, shownTo, state, failure, isCutOff }] of readings.entries()) {
    const isServed = (made[index]?.length ?? 0) > 0 || (rows.size === 0 && shownTo === Infinity);
    const isBroken = failure !== undefined && !isCutOff;
    // The first had its chance: it must not stay the first. A broken form costs no more than others.
    if (isServed || isBroken || index === 0) memory.servedAt = now;
    if (!isWindowDue) continue;
    const isOver = isBroken || shownTo >= state.cursor.recent;
    memory.goesOnAt = isBroken ? Infinity : isOver ? undefined : shownTo;
    // The second looks at many windows are spread over nine minutes.
    if (isOver)
      memory.lookedAt = now - (memory.lookedAt === undefined ? (WINDOW_EVERY_MS * index) / readings.length : 0);
  }
}
