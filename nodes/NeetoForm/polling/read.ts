/** Reads the due forms of a poll. Each form reads by itself, their pages take turns, and no more is read than the quota has room for. */

import { PAGE_SIZE } from '../api/endpoints';
import type { Row } from '../api/parse';
import { MAX_IN_FLIGHT } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';
import { isNew, shares, type Cursor, type Read } from './batch';
import type { DueForm } from './due';
import { look, type LookLimits, type ReadPage, type Seen } from './looks';
import { tooSlow, toPollError, type PollError } from './messages';
import type { PollSession } from './session';

/** IDs of a window that fits into a page of any size, also where the service ignores the size. */
const SMALL_WINDOW = 30;

/** New submissions of a page that begins with the last second of the one before, whose rows are known. */
const MOST_OF_A_PAGE = 0.9 * PAGE_SIZE;

/** What a poll has read of one form. Its rows are new. */
export interface FormReading extends DueForm, Read {
  /** The form's title and questions; undefined when nothing is new, when items do without, and when the form does not tell. */
  details?: FormDetails;
  /** Why the form could not be read to its end. What was read before stays. */
  failure?: PollError;
  /** Whether it failed when the time for reading was over: with more of it, it might not have. */
  isCutOff?: boolean;
}

/** Reads a form's title and questions; undefined when items do without, or the form answers that it does not tell. */
export type ReadDetails = (formId: string) => Promise<FormDetails | undefined>;

/** A form while it is read. */
interface Progress extends FormReading {
  rows: Map<string, Row>;
  isReached: boolean;
  /** Requested as soon as something is new, so that no submission waits for it when the time for reading is over. */
  detailsRequest?: Promise<FormDetails | undefined>;
}

/** A quick look at a form, or a look at its window, a page at a time. */
interface Look {
  form: Progress;
  isQuick: boolean;
  pages: AsyncGenerator<Seen, undefined>;
  pagesRead: number;
  /** Pages to read at most. */
  maxPages: number;
  /** ms: where the look ends. */
  end: number;
  /** Notes how far it came. */
  note: (until: number) => void;
}

/**
 * Reads due forms: what is recent in each, as far as the quota has room, and the pages of each window that are due.
 *
 * @param quota submissions that the poll emits at most
 * @returns the forms that the poll came to, in the order of the due forms
 */
export async function readForms(
  session: PollSession,
  due: DueForm[],
  quota: number,
  readDetails: ReadDetails,
): Promise<FormReading[]> {
  const forms = due.map((form): Progress => {
    return { ...form, rows: new Map(), until: form.state.cursor.recent, isReached: false };
  });
  const looks = new Set(forms.flatMap((form) => looksAt(session, form, quota)));
  const underWay = new Map<Progress, Promise<void>>();
  for (;;) {
    const next =
      underWay.size < MAX_IN_FLIGHT && !session.isTimeUp ? nextLook(looks, underWay, forms, quota) : undefined;
    if (next !== undefined) {
      const page = readPage(session, next, readDetails).then((isOver) => {
        underWay.delete(next.form);
        if (isOver) looks.delete(next);
      });
      underWay.set(next.form, page);
    } else if (underWay.size > 0) await Promise.race(underWay.values());
    else break;
  }
  const reached = forms.filter(({ isReached }) => isReached);
  await Promise.all(reached.map(async (form) => await finish(session, form)));
  return reached;
}

/** The quick look reads from `recent` on, the look at the window up to it. A small window is one look, from its start. */
function looksAt(session: PollSession, form: Progress, quota: number): Look[] {
  const { formId, isQuickDue, windowPages } = form;
  const { cursor } = form.state;
  const isOneLook = isQuickDue && windowPages > 0 && cursor.known.size < SMALL_WINDOW;
  const read: ReadPage = async (query, signal) => await session.readSubmissions(formId, query, signal);
  const limits = { isNew: (row: Row) => isNew(cursor, row), quota, isTimeUp: () => session.isTimeUp };
  const end = isQuickDue ? cursor.recent : Infinity;
  const noteWindow = (until: number): void => {
    form.lookedTo = until >= end ? Infinity : until;
    if (until === Infinity) form.until = Infinity;
  };
  const quick: Look = {
    form,
    isQuick: true,
    pages: look(read, isOneLook ? cursor.from : cursor.recent, limits),
    pagesRead: 0,
    maxPages: isQuickDue ? Infinity : 0,
    end: Infinity,
    note: (until) => {
      // A look that begins with the window may end before what is recent.
      form.until = isOneLook ? until : Math.max(form.until, until);
      if (isOneLook) noteWindow(until);
    },
  };
  const window: Look = {
    form,
    isQuick: false,
    pages: windowPages === Infinity ? wholeWindow(read, cursor, end, limits) : look(read, cursor.look, limits),
    pagesRead: 0,
    maxPages: isOneLook ? 0 : windowPages,
    end,
    note: noteWindow,
  };
  return [quick, window].filter(({ maxPages }) => maxPages > 0);
}

/** The whole window, from where the last look ended up to the end, then from its start: one that is too long for a poll is seen in two. */
async function* wholeWindow(
  read: ReadPage,
  { from, look: begin }: Cursor,
  end: number,
  limits: LookLimits,
): AsyncGenerator<Seen, undefined> {
  for await (const page of look(read, begin, limits)) {
    const isEnd = page.until >= end && begin > from;
    yield isEnd ? { ...page, until: from } : page;
    if (isEnd) break;
  }
  if (begin > from)
    for await (const page of look(read, from, limits)) yield page.until >= begin ? { ...page, until: end } : page;
}

/**
 * The look that reads next: the first page of each comes before the second of any. A window is read whatever the quota; what is recent
 * is read for as many submissions as the form would get if those that are not read to their end had no end; but when enough was found, for
 * no more than a page shows.
 */
function nextLook(
  looks: ReadonlySet<Look>,
  underWay: ReadonlyMap<Progress, unknown>,
  forms: Progress[],
  quota: number,
): Look | undefined {
  const endless = new Set([...looks].filter(({ isQuick }) => isQuick).map(({ form }) => form));
  const needs = forms.map((form) => (endless.has(form) ? Infinity : form.rows.size));
  const given = shares(quota, needs);
  const room = new Map(forms.map((form, index) => [form, given[index] ?? 0]));
  const hasRoomForMore = forms.filter(({ rows }) => rows.size > 0).length < quota;
  // A page that is under way may be full.
  const found = forms.reduce((sum, { rows }) => sum + rows.size, underWay.size * PAGE_SIZE);
  const isWanted = ({ form, pagesRead }: Look) => {
    const limit = Math.min(room.get(form) ?? 0, found < quota ? Infinity : MOST_OF_A_PAGE);
    // Where just enough was found, what comes next tells whether that is the end.
    const isShort = limit > 0 && form.rows.size <= limit;
    return form.failure === undefined && (isShort || (pagesRead === 0 && hasRoomForMore));
  };
  const quick = [...looks].filter((each) => each.isQuick && isWanted(each));
  // What is recent never waits for the window.
  const busy = new Set([...underWay.keys(), ...quick.map(({ form }) => form)]);
  const windows = [...looks].filter(({ form, isQuick }) => !isQuick && form.failure === undefined && !busy.has(form));
  const wanted = [...quick.filter(({ form }) => !underWay.has(form)), ...windows];
  const turn = Math.min(...wanted.map(({ pagesRead }) => pagesRead));
  return wanted.find(({ pagesRead }) => pagesRead === turn);
}

/** Reads a page. @returns whether the look is over */
async function readPage(session: PollSession, look: Look, readDetails: ReadDetails): Promise<boolean> {
  const { form, pages } = look;
  look.pagesRead++;
  form.isReached = true;
  try {
    const { value: page } = await pages.next();
    if (page === undefined) return true;
    look.note(page.until);
    form.serverTime ??= page.serverTime;
    for (const row of page.rows) if (isNew(form.state.cursor, row)) form.rows.set(row.id, row);
    if (form.rows.size > 0 && form.detailsRequest === undefined) {
      form.detailsRequest = readDetails(form.formId);
      // Its failure is seen when all pages are read.
      void form.detailsRequest.catch(() => undefined);
    }
    return page.until >= look.end || look.pagesRead >= look.maxPages;
  } catch (error) {
    form.failure = toPollError(session.node, error);
    form.isCutOff = session.isTimeUp;
    // The look at the window is made again when the next is due: a broken form costs no more than others.
    if (form.windowPages > 0) form.lookedTo ??= form.state.cursor.look;
    return true;
  }
}

/** Waits for the form's title and questions. */
async function finish(session: PollSession, form: Progress): Promise<void> {
  const { recent } = form.state.cursor;
  try {
    form.details = await form.detailsRequest;
    // A second may have more rows than a poll has time for.
    const isStuck = form.isQuickDue && form.rows.size === 0 && form.until <= recent && session.isTimeUp;
    if (isStuck) {
      form.failure ??= tooSlow(session, "the form's latest submissions");
      form.isCutOff = true;
    }
  } catch (error) {
    // A submission whose form cannot be read now waits for the next poll.
    form.rows.clear();
    form.until = recent;
    form.lookedTo = undefined;
    form.failure = toPollError(session.node, error);
    form.isCutOff = session.isTimeUp;
  }
}
