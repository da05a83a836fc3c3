/** Reads the forms of a poll that are due, and notes whose turn it is in the next one. */

import { toNodeError } from '../api/messages';
import { hasStatus, type NodeError } from '../api/nodeErrors';
import type { Submission } from '../api/parse';
import { Slots } from '../api/slots';
import type { FormDetails } from '../submissions/questions';
import { isNew } from '../watching/cursor';
import type { Seen } from '../watching/look';
import { mayHaveNews, type KnownForm } from './forms';
import { formMemory, spreadLook, WINDOW_EVERY_MS, type FormMemory } from './memory';
import { ATTEMPT_MS, type PollSession } from './session';
import { shares } from './shares';

/** If fewer IDs are known, a quick look shows the whole window. That takes one page, too, and finds late finishers at once. */
const SMALL_WINDOW = 25;

interface Look {
  start: number;
  until: number;
  /** Where the look may stop. */
  end: number;
  pages: AsyncGenerator<Seen, undefined>;
}

/**
 * The looks that are due at a form: a quick look if it has news, and one at the window if that was not looked at for nine minutes. The look at the
 * window ends at `recent` if there is a quick look, otherwise at the end of the list.
 */
type Looks = Partial<Record<LookName, Look>>;

type LookName = 'quick' | 'window';

/** What a poll reads of one form. Its rounds add to it. */
export interface Reading {
  readonly form: KnownForm;
  readonly memory: FormMemory;
  readonly looks: Looks;
  /** New submissions, by ID. */
  readonly rows: Map<string, Submission>;
  /** The form's title and questions, once they are read. `of` is undefined if items do without them, or the form answers 403 or 404. */
  details?: { of: FormDetails | undefined };
  /**
   * Why the form could not be read to its end. What was read before that is emitted. `isCutOff` says that the only reason was the end of the poll's
   * time.
   */
  failed?: { failure: NodeError; isCutOff: boolean };
}

/** What a poll emits of a form. */
export interface Batch extends Reading {
  /** The new ones that fit into Max Submissions, oldest first. */
  submissions: Submission[];
  /** Of these, in the same order. From the first submission whose file is late, they have none. */
  items: unknown[];
}

/** Reads forms in rounds of one page of each: first quick looks, then windows. Returns those that were due. @throws NodeApiError on a refused key */
export async function readInRounds(session: PollSession, forms: KnownForm[]): Promise<Reading[]> {
  const due = forms.flatMap((form) => startReading(session, form)).sort(byTurn);
  // No more forms are read at a time than requests may run in parallel. Otherwise, the pages of all forms would be requested before the first title.
  // If the time were over then, nothing could be emitted.
  const turns = new Slots();
  const readRound = async (round: Unended[]) =>
    await Promise.all(round.map(async (each) => await turns.run(async () => await readPage(session, each))));
  const { maxSubmissions } = session.settings;
  // When the time of the poll is over, each request fails, and a form that failed is not in the next round.
  let round = unended(due, 'quick');
  for (; round.length > 0; round = unended(withRoom(due, maxSubmissions), 'quick')) await readRound(round);
  // Windows are read to their end, however much was found. One for which no time is left has not failed: it waits for the next poll.
  const windows = () => (session.isTimeUp() ? [] : unended(due, 'window'));
  for (round = windows(); round.length > 0; round = windows()) await readRound(round);
  return due;
}

/** A look that has not come to its end, of a form that has not failed. */
interface Unended {
  reading: Reading;
  look: Look;
}

function unended(readings: Reading[], name: LookName): Unended[] {
  return readings.flatMap((reading) => {
    const look = reading.looks[name];
    const isUnended = reading.failed === undefined && look !== undefined && look.until < look.end;
    return isUnended ? [{ reading, look }] : [];
  });
}

/** Forms with news come first, and among equals the one that was served longest ago. */
function byTurn(a: Reading, b: Reading): number {
  const newsFirst = Number(b.looks.quick !== undefined) - Number(a.looks.quick !== undefined);
  return newsFirst || a.memory.servedIn - b.memory.servedIn;
}

/** Decides which looks are due at a form. @returns nothing if none is */
function startReading(session: PollSession, form: KnownForm): Reading[] {
  const { formId, state, isArchived } = form;
  const { from, recent, known } = state.cursor;
  const memory = formMemory(session.memory, formId);
  const newLook = (start: number, end: number): Look => {
    return { start, until: start, end, pages: session.pagesFrom(formId, start) };
  };
  const hasNews = mayHaveNews(form);
  const isSmall = Object.keys(known).length < SMALL_WINDOW;
  const quick = hasNews ? newLook(isSmall ? from : recent, Infinity) : undefined;
  // The difference is negative when the clock was set back. Without `abs`, no look would be due for hours.
  const isLongAgo = Math.abs(session.clock.now() - memory.lookedAt) >= WINDOW_EVERY_MS;
  const isWindowDue = isLongAgo && (hasNews || !isArchived);
  // Without a quick look, a look at the window runs past `recent`, so `goesOnAt` may be later than `recent`. But what was read after `recent` may be
  // waiting, so the next look begins at `recent` at the latest.
  const start = Math.min(memory.goesOnAt ?? from, recent);
  const isSeenByQuick = hasNews && isSmall;
  const window = isWindowDue && !isSeenByQuick ? newLook(start, hasNews ? recent : Infinity) : undefined;
  if (quick === undefined && window === undefined) return [];
  return [{ form, memory, looks: { quick, window }, rows: new Map<string, Submission>() }];
}

/** The forms that have found less than their share of Max Submissions. A form that cannot read on claims only what it has found. */
function withRoom(due: Reading[], maxSubmissions: number): Reading[] {
  const canReadOn = new Set(unended(due, 'quick').map(({ reading }) => reading));
  const given = shares(maxSubmissions, due, (reading) => (canReadOn.has(reading) ? Infinity : reading.rows.size));
  return due.filter((reading) => reading.rows.size < (given.get(reading) ?? 0));
}

/** Reads the next page of a look, and with the form's first new row its title and questions. */
async function readPage(session: PollSession, { reading, look }: Unended): Promise<void> {
  let requestedAt = session.clock.now();
  try {
    const { value: page = { rows: [], until: Infinity } } = await look.pages.next();
    const newRows = page.rows.filter((row) => isNew(reading.form.state.cursor, row));
    requestedAt = session.clock.now();
    // If this fails, the rows are not noted: without title and questions, they could not be emitted. A later poll reads them again.
    if (newRows.length > 0) reading.details ??= { of: await session.readDetails(reading.form.formId) };
    for (const row of newRows) reading.rows.set(row.id, row);
    look.until = page.until;
  } catch (error) {
    const failure = toNodeError(session.node, error);
    if (hasStatus(error, '401')) throw failure;
    // If the request had the time of a whole attempt, the form is broken, even if the poll's time is over, too.
    reading.failed = { failure, isCutOff: session.isTimeUp() && session.clock.now() - requestedAt < ATTEMPT_MS };
  }
}

/** Until when a form is shown: as far as one of its looks came. It is settled until `recent`, and each look began there or earlier. */
export function readUntil({ form, looks }: Reading): number {
  return Math.max(form.state.cursor.recent, looks.quick?.until ?? -Infinity, looks.window?.until ?? -Infinity);
}

/** Whether one look of this poll has shown the whole window. One that began where an earlier one was cut off has not. */
export function isWindowSeen({ form, looks }: Reading): boolean {
  const { from, recent } = form.state.cursor;
  // What was created at `recent` or later is left to the quick looks.
  return [looks.quick, looks.window].some((look) => look !== undefined && look.start <= from && look.until >= recent);
}

/** Notes which forms were served, and where and when each window is looked at next. */
export function noteTurns(session: PollSession, batches: Batch[]): void {
  for (const [index, batch] of batches.entries()) {
    // The first form goes to the back even if it got nothing. Otherwise it could stay the first for ever.
    if (index === 0 || isBroken(batch) || isServed(batch)) batch.memory.servedIn = session.memory.polls;
    noteWindow(batch, session.clock.now(), index / batches.length);
  }
}

function isServed(batch: Batch): boolean {
  return batch.items.length > 0 || (batch.rows.size === 0 && readUntil(batch) === Infinity);
}

function isBroken({ failed }: Reading): boolean {
  return failed !== undefined && !failed.isCutOff;
}

function noteWindow(reading: Reading, now: number, place: number): void {
  const { memory } = reading;
  const { window } = reading.looks;
  // A look at a broken form counts as ended, so that it is not tried in each poll.
  const isEnded = window !== undefined && (isBroken(reading) || window.until >= window.end);
  // A small window is seen by the quick look alone.
  if (isEnded || isWindowSeen(reading)) {
    memory.goesOnAt = undefined;
    memory.lookedAt = memory.lookedAt > -Infinity ? now : spreadLook(now, place);
  } else if (window !== undefined) {
    memory.goesOnAt = window.until;
  }
}
