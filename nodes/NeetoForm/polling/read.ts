/** Reads the forms of a poll that are due, and notes whose turn it is in the next one. */

import { hasStatus } from '../api/errors';
import { toNodeError } from '../api/messages';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';
import { isNew, shares, type FormState } from './cursor';
import { isIdle, mayHaveNews, type WatchedForm } from './forms';
import type { Seen } from './look';
import { formMemory, spreadLook, WINDOW_EVERY_MS, type FormMemory } from './memory';
import { ATTEMPT_MS, type PollSession } from './session';

/** If fewer IDs are known, a quick look shows the whole window. That takes one page, too, and finds late finishers at once. */
const SMALL_WINDOW = 25;

interface Look {
  start: number;
  until: number;
  /** Where the look may stop. */
  end: number;
  pages: AsyncGenerator<Seen, void>;
}

type LookName = 'quickLook' | 'windowLook';

/** What a poll reads of one form. */
export interface Reading extends WatchedForm {
  state: FormState;
  /** Undefined when the form has no news. */
  quickLook?: Look;
  /** The look at the window, if it is due. It ends at `recent` if there is a quick look, otherwise at the end of the list. */
  windowLook?: Look;
  /** New submissions, by ID. */
  rows: Map<string, Row>;
  /** The form's title and questions, read with its first new submission. Null if items do without them, or the form answers 403 or 404. */
  details?: FormDetails | null;
  /** Whether it failed because the time of the poll was over. */
  isCutOff: boolean;
  memory: FormMemory;
}

/** Reads forms in rounds of one page of each: first quick looks, then windows. Returns those that were due. @throws NodeApiError on a refused key */
export async function readInRounds(session: PollSession, forms: WatchedForm[]): Promise<Reading[]> {
  const due = forms.flatMap((form) => startReading(session, form)).sort(byTurn);
  // No more forms are read at a time than requests may run in parallel. Otherwise, the pages of all forms would be requested before the first title.
  // If the time were over then, nothing could be emitted.
  const turns = new RequestLimiter();
  const readRound = async (round: Reading[], name: LookName) =>
    await Promise.all(round.map(async (form) => await turns.run(async () => await readPage(session, form, name))));
  // When the time of the poll is over, each request fails, and a form that failed is not in the next round.
  let round = due.filter(({ quickLook }) => quickLook !== undefined);
  for (; round.length > 0; round = withRoom(due, session.settings.maxSubmissions)) await readRound(round, 'quickLook');
  // A window for which no time is left has not failed. It waits for the next poll.
  const isLeft = (form: Reading) => isReadable(form, 'windowLook');
  for (round = due.filter(isLeft); round.length > 0 && !session.isTimeUp(); round = round.filter(isLeft))
    await readRound(round, 'windowLook');
  return due;
}

/** Forms with news come first, then the one that had its share longest ago. */
function byTurn(a: Reading, b: Reading): number {
  const newsFirst = Number(b.quickLook !== undefined) - Number(a.quickLook !== undefined);
  return newsFirst || a.memory.servedIn - b.memory.servedIn;
}

/** Decides what to read of a form: a quick look, a look at the window, both, or nothing. */
function startReading(session: PollSession, form: WatchedForm): Reading[] {
  const { formId, state, isArchived } = form;
  if (state === undefined || isIdle(form) || form.isJustStarted) return [];
  const { from, recent, known } = state.cursor;
  const memory = formMemory(session.memory, formId);
  const newLook = (start: number, end: number): Look => {
    return { start, until: start, end, pages: session.pagesFrom(formId, start) };
  };
  const hasNews = mayHaveNews(form);
  const isSmall = Object.keys(known).length < SMALL_WINDOW;
  const quickLook = hasNews ? newLook(isSmall ? from : recent, Infinity) : undefined;
  // The difference is negative when the clock was set back. Without `abs`, no look would be due for hours.
  const isWindowDue = isArchived || Math.abs(session.clock.now() - memory.lookedAt) >= WINDOW_EVERY_MS;
  // Without a quick look, a look at the window runs past `recent`, so `goesOnAt` may be later than that. But what was read after `recent` may be
  // waiting, so the next look begins there.
  const start = Math.min(memory.goesOnAt ?? from, recent);
  const isSeenAnyway = hasNews && isSmall;
  const windowLook = isWindowDue && !isSeenAnyway ? newLook(start, hasNews ? recent : Infinity) : undefined;
  if (quickLook === undefined && windowLook === undefined) return [];
  return [{ ...form, state, rows: new Map<string, Row>(), isCutOff: false, memory, quickLook, windowLook }];
}

/** The forms whose quick look reads another page: each reads on until it has found its share of Max Submissions. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  // A form that cannot read on needs only what it has. So its share is never larger, and the filter leaves it out.
  const needs = due.map((form) => (isReadable(form, 'quickLook') ? Infinity : form.rows.size));
  const given = shares(maxSubmissions, needs);
  return due.filter((form, index) => form.rows.size < (given[index] ?? 0));
}

function isReadable(form: Reading, name: LookName): boolean {
  const current = form[name];
  return form.failure === undefined && current !== undefined && current.until < current.end;
}

/** Reads the next page, and with the first new row the form's title and questions. */
async function readPage(session: PollSession, form: Reading, name: LookName): Promise<void> {
  const current = form[name];
  if (current === undefined) return;
  let requestedAt = session.clock.now();
  try {
    const { value: page } = await current.pages.next();
    if (page === undefined) return;
    const newRows = page.rows.filter((row) => isNew(form.state.cursor, row));
    requestedAt = session.clock.now();
    // If this fails, the rows are not noted: without title and questions, they could not be emitted. A later poll reads them again.
    if (newRows.length > 0 && form.details === undefined)
      form.details = (await session.readDetails(form.formId)) ?? null;
    for (const row of newRows) form.rows.set(row.id, row);
    current.until = page.until;
  } catch (error) {
    form.failure = toNodeError(session.node, error);
    if (hasStatus(error, '401')) throw form.failure;
    // If the request had the time of a whole attempt, the form is broken, even if the poll's time is over, too.
    form.isCutOff = session.isTimeUp() && session.clock.now() - requestedAt < ATTEMPT_MS;
  }
}

/** Until when a form is shown. The look that came furthest counts: each began at `recent` or earlier, and the form is settled until `recent`. */
export function readUntil({ state, quickLook, windowLook }: Reading): number {
  return Math.max(state.cursor.recent, quickLook?.until ?? -Infinity, windowLook?.until ?? -Infinity);
}

/** Whether one look of this poll has shown the whole window. One that began where an earlier one was cut off has not. */
export function isWindowSeen({ state: { cursor }, quickLook, windowLook }: Reading): boolean {
  // What was created at `recent` or later is left to the quick looks.
  const isSeenBy = (each?: Look) => each !== undefined && each.start <= cursor.from && each.until >= cursor.recent;
  return isSeenBy(quickLook) || isSeenBy(windowLook);
}

/** Notes which forms had their share, and where and when each window is looked at next. */
export function noteTurns(session: PollSession, batches: Array<Reading & { items: unknown[] }>): void {
  for (const [index, form] of batches.entries()) {
    // The first form goes to the back even if it got nothing. Otherwise it could stay the first for ever.
    if (index === 0 || isBroken(form) || isServed(form)) form.memory.servedIn = session.memory.polls;
    noteWindow(form, session.clock.now(), index / batches.length);
  }
}

function isServed(form: Reading & { items: unknown[] }): boolean {
  return form.items.length > 0 || (form.rows.size === 0 && readUntil(form) === Infinity);
}

function isBroken({ failure, isCutOff }: Reading): boolean {
  return failure !== undefined && !isCutOff;
}

function noteWindow(form: Reading, now: number, place: number): void {
  const { memory, windowLook } = form;
  // A look at a broken form counts as ended, so that it is not tried in each poll.
  const isEnded = windowLook !== undefined && (isBroken(form) || windowLook.until >= windowLook.end);
  // A small window is seen by the quick look alone.
  if (isEnded || isWindowSeen(form)) {
    memory.goesOnAt = undefined;
    memory.lookedAt = memory.lookedAt > -Infinity ? now : spreadLook(now, place);
  } else if (windowLook !== undefined) {
    memory.goesOnAt = windowLook.until;
  }
}
