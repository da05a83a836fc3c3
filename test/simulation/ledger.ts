/** What each trigger owes, computed from what happened at the service alone. It knows nothing of how the trigger works. */

import { DAY, LOOK, RECENT, SECOND } from '../trigger/harness';

/** How far back a trigger looks at most: so long, or so many submissions of a form. */
const WINDOW_MS = 7 * DAY;
const WINDOW_ROWS = 1_900;

/** A submission as it is at the service. */
export interface Row {
  id: string;
  formId: string;
  /** ms, as precisely as the service shows it. */
  created: number;
  /** ms from which it is visible; undefined while it is deleted. */
  since: number | undefined;
  /** A file that takes longer than others: its form alone may wait for it. */
  hasSlowFile: boolean;
}

/** A form as it is at the service. */
export interface Form {
  rows: Row[];
  /** ms; 0 for a form that was there at first. */
  addedAt: number;
  /** ms, when a submission was deleted last: one that is added meanwhile does not change their number. */
  deletedAt: number;
  isArchived: boolean;
  /** The service's list of forms lacks it for a while. */
  isHidden: boolean;
}

/** A trigger begins to watch forms of which it knows nothing. */
export interface Start {
  /** ms */
  began: number;
  ended: number;
  /** How many rows a full page has; Infinity when all are on it. */
  pageSize: number;
  /** ms, the option Start From. */
  startFrom: number | undefined;
}

/** What one poll of one trigger must do. */
export interface Expectation {
  /** What is visible, new, and to be emitted by this poll at the latest unless others need its quota; by form. */
  due: Map<string, Row[]>;
  /** IDs of those that are to be emitted only because the number of submissions tells of them. */
  counted: Set<string>;
  /** How many forms may have something new. */
  competing: number;
}

interface Status {
  /** Visible when the trigger began to watch its form. */
  isPast: boolean;
  /** Whether it is owed cannot be told: it changed while an activation ran or failed, or was archived. */
  isUnclear: boolean;
  delivered: number;
  /** How often n8n itself may have repeated it by crashing. */
  mayRepeat: number;
}

/** What one trigger has emitted, and what it has to emit. */
export class Ledger {
  /** The forms that it watches, with the start of what it may see (ms). */
  readonly watched = new Map<string, number>();
  /** The forms that it starts to watch in its next good poll, in the same way as in an activation. */
  readonly starting = new Set<string>();
  /** Forms that were started in a scheduled poll, which n8n has not stored yet. */
  readonly unstored = new Set<string>();
  /** Forms that were archived when it began to watch, with whether they may have been started then all the same. */
  private readonly dormant = new Map<string, boolean>();
  /** Starting forms that may have been started by a poll in which something failed. */
  private readonly doubtful = new Set<string>();
  /** Starting forms whose workspace has another address now. */
  private readonly moved = new Set<string>();
  private isPublished = false;
  /** ms, when something happened last that may delay it. */
  calmSince = 0;
  /** ms, when its last good poll began; Infinity after a disturbance. */
  private lastGood = Infinity;
  private lastGoodEnd = Infinity;
  /** ms, when the first good poll began since a submission of a form was deleted, by form. */
  private readonly countedAt = new Map<string, number>();
  /** Submissions that were due in the last good poll and had to wait, and ms, where the quick look at such a form begins at the latest. */
  private readonly waiting = new Set<string>();
  private readonly waitingFrom = new Map<string, number>();
  private readonly statuses = new Map<string, Status>();
  /** Good polls in which a form had something due and got nothing, by form. */
  private readonly waits = new Map<string, { polls: number; among: number }>();
  private readonly forms: Map<string, Form>;
  private readonly byId: Map<string, Row>;

  constructor(forms: Map<string, Form>, byId: Map<string, Row>) {
    this.forms = forms;
    this.byId = byId;
  }

  /** Something happened that may delay what comes. @param now ms */
  disturb(now: number): void {
    // After a clock was set back, it may lie ahead.
    this.calmSince = Math.max(this.calmSince, now);
    this.lastGood = Infinity;
    this.lastGoodEnd = Infinity;
    this.waits.clear();
    this.waiting.clear();
    this.waitingFrom.clear();
  }

  /** It has read its forms: it knows those now that it had to start. Start From counts for the first publication only. */
  begin(start: Start): void {
    const startFrom = this.isPublished ? undefined : start.startFrom;
    for (const formId of this.starting) {
      if (this.forms.has(formId)) this.watch(formId, { ...start, startFrom });
      this.unstored.add(formId);
    }
    this.starting.clear();
    this.doubtful.clear();
    this.moved.clear();
    this.isPublished = true;
  }

  /** Its workspace gets another address, or its former one before it has polled. */
  move(formIds: string[]): void {
    const isBack = this.moved.size > 0;
    for (const formId of this.moved) if (!this.doubtful.has(formId)) this.starting.delete(formId);
    this.moved.clear();
    if (isBack) return;
    for (const formId of formIds) {
      if (!this.starting.has(formId)) this.moved.add(formId);
      this.starting.add(formId);
    }
  }

  /**
   * It has polled while something failed: whether the starting forms are started is open.
   *
   * @param told ms, the service's time as the poll knows it: where a form starts that could not be read
   */
  doubt(told: number): void {
    for (const formId of this.starting) {
      this.doubtful.add(formId);
      for (const { id, since, created } of this.forms.get(formId)?.rows ?? []) {
        if (since !== undefined && created < told) continue;
        // The start has not seen it: it is new when the form can be read, or when it is restored.
        const status = this.status(id);
        Object.assign(status, { isPast: false, isUnclear: true, mayRepeat: status.delivered });
      }
    }
  }

  private watch(formId: string, { began, ended, pageSize, startFrom }: Start): void {
    const { rows, isArchived } = this.form(formId);
    const visible = rows.filter(({ since }) => since !== undefined && since <= began);
    const shown = rows
      .filter(({ since }) => since !== undefined && since <= ended)
      .map(({ created }) => created)
      .sort((a, b) => b - a);
    const isDoubtful = this.doubtful.has(formId);
    // A doubtful form may have started before, behind a page of what is dated ahead.
    const [oldestShown = -1] = isDoubtful ? shown : shown.slice(pageSize === Infinity ? -1 : pageSize - 1);
    const from = Math.max(isDoubtful ? ended : began - WINDOW_MS, oldestShown + 1);
    this.watched.set(formId, isDoubtful ? from : (startFrom ?? from));
    // One that was young when the trigger began to watch it was started then, because it might be new.
    if (isArchived) this.dormant.set(formId, isDoubtful || this.form(formId).addedAt > 0);
    for (const row of rows) {
      const isVisible = visible.includes(row);
      const isBetween = row.since !== undefined && row.since > began && row.since <= ended;
      const status = this.status(row.id);
      status.isUnclear = isBetween || isDoubtful || isArchived;
      status.isPast = isVisible && !status.isUnclear && !(startFrom !== undefined && row.created >= startFrom);
      // What was emitted before and is deleted now is new to a cursor that begins again.
      if (row.since === undefined || isDoubtful) status.mayRepeat = status.delivered;
    }
  }

  /** A form is not archived any more. */
  wake(formId: string): void {
    const mayBeStarted = this.dormant.get(formId);
    if (mayBeStarted === undefined) return;
    this.dormant.delete(formId);
    this.blur(formId);
    this.starting.add(formId);
    if (mayBeStarted) this.doubtful.add(formId);
  }

  /** A form that is new at the service: everything in it is owed. */
  watchNew(formId: string): void {
    // Of a workspace of which nothing is known, no form is new.
    if (this.starting.size > 0) {
      this.starting.add(formId);
      this.doubtful.add(formId);
      return;
    }
    this.watched.set(formId, 0);
    // As long as n8n has not stored the workspace, it may forget it at a restart.
    if (this.unstored.size > 0) this.unstored.add(formId);
  }

  unwatch(formId: string): void {
    this.watched.delete(formId);
    this.starting.delete(formId);
    this.waits.delete(formId);
  }

  /** What happened to a form leaves open what of it is owed. */
  blur(formId: string, rows: Row[] = this.form(formId).rows): void {
    for (const { id } of rows) this.status(id).isUnclear ||= this.status(id).delivered === 0;
  }

  /** n8n has forgotten all that it had not stored. */
  forgetUnstored(): void {
    for (const formId of this.unstored) {
      if (!this.forms.has(formId)) continue;
      this.blur(formId);
      // What was past when the form was started is new to the cursor before.
      for (const { id } of this.form(formId).rows) this.status(id).isPast = false;
      this.starting.add(formId);
      this.doubtful.add(formId);
    }
    this.unstored.clear();
  }

  /** n8n crashed when it had stored that these were emitted, and did not emit them. */
  excuseLoss(ids: string[]): void {
    for (const id of ids) this.status(id).isUnclear = true;
  }

  /** n8n crashed when it had emitted these, and did not store it. */
  excuseRepeat(ids: string[]): void {
    for (const id of ids) this.status(id).mayRepeat++;
  }

  /** @throws Error that says what is wrong with emitting these now */
  deliver(ids: string[]): void {
    const latest = new Map<string, number>();
    for (const id of ids) {
      const row = this.byId.get(id);
      const status = this.status(id);
      status.delivered++;
      const { formId = '', created = 0 } = row ?? {};
      if (row === undefined) throw new Error(`${id} does not exist`);
      if (!this.watched.has(formId) && !this.starting.has(formId)) throw new Error(`${id}: its form is not watched`);
      if (status.isPast) throw new Error(`${id} is of the past`);
      if (status.delivered > 1 + status.mayRepeat) throw new Error(`${id} is repeated`);
      if (created < (latest.get(formId) ?? 0)) throw new Error(`${id} is emitted after a newer one of its form`);
      latest.set(formId, created);
    }
  }

  /**
   * What a good poll that begins now must emit.
   *
   * @param now ms
   * @param quick whether what is recent is read in every poll, or when the number of submissions has changed, or is not relied on
   * @param pageSize rows of a full page
   */
  expect(now: number, quick: 'always' | 'by number' | 'never', pageSize: number): Expectation {
    const due = new Map<string, Row[]>();
    const counted = new Set<string>();
    let competing = 0;
    for (const formId of this.watched.keys()) {
      const { rows, deletedAt } = this.form(formId);
      if (this.isRead(formId) && rows.some((row) => this.isNew(row, now))) competing++;
      // A longer window is looked at less often.
      const lookMs = LOOK * (rows.length < 100 ? 1 : pagesOf(rows, Math.min(100, pageSize)));
      const countedAt = this.countedAt.get(formId) ?? Infinity;
      const isCounted = (since: number) => quick === 'by number' && deletedAt < countedAt && since > countedAt;
      // What appeared before may be hidden: by what waited, or by a number that was read too early.
      const isNews = (since: number) => since > this.lastGoodEnd && (quick === 'always' || isCounted(since));
      // What is left may be late finishers that no look has shown: they do not make a quick look begin earlier.
      const quickStart = Math.max(this.lastGood - RECENT, this.waitingFrom.get(formId) ?? 0);
      const isAwaited = ({ id, since = Infinity }: Row) =>
        Math.max(since, this.calmSince) <= now - lookMs || this.waiting.has(id);
      const owed = this.owedOf(formId, now);
      const isDue = (row: Row) => isAwaited(row) || (isNews(row.since ?? Infinity) && row.created >= quickStart);
      due.set(formId, owed.filter(isDue));
      if (quick === 'by number') for (const row of owed) if (!isAwaited(row)) counted.add(row.id);
    }
    return { due, counted, competing };
  }

  /** @param quota submissions that the poll may emit. @throws Error that says which promise a good poll has broken */
  settle(
    { due, counted, ...expected }: Expectation,
    emitted: string[],
    quota: number,
    began: number,
    ended: number,
  ): void {
    this.waiting.clear();
    // What became visible while the poll read has its share as well.
    const served = new Set(emitted.map((id) => this.byId.get(id)?.formId));
    const isCompeting = (formId: string) =>
      served.has(formId) || this.form(formId).rows.some((row) => this.isNew(row, ended));
    const competing = Math.max(expected.competing, [...this.watched.keys()].filter(isCompeting).length);
    // The share of a form whose files take long may be left over, also of one that is archived.
    const isFull = emitted.length >= quota || [...this.watched.keys()].some((formId) => this.slowOf(formId) > 0);
    for (const [formId, rows] of due) {
      // What was deleted while the poll read may have hidden another from the number.
      const isHidden = this.form(formId).deletedAt >= began;
      const isLeft = ({ id, since }: Row) => since !== undefined && this.status(id).delivered === 0;
      const left = rows.filter((row) => isLeft(row) && !(isHidden && counted.has(row.id)));
      const got = emitted.filter((id) => this.byId.get(id)?.formId === formId).length;
      for (const { id } of left) this.waiting.add(id);
      if (left.length === 0) {
        this.waits.delete(formId);
        continue;
      }
      const before = got > 0 ? undefined : this.waits.get(formId);
      const waits = { polls: (before?.polls ?? 0) + (got > 0 ? 0 : 1), among: Math.max(before?.among ?? 0, competing) };
      this.waits.set(formId, waits);
      if (this.slowOf(formId) > 0 && waits.polls <= 2 * (waits.among + 1)) continue;
      const what = `${left.map(({ id }) => id).join(' ')} of ${formId}`;
      if (!isFull) throw new Error(`${what} should have been emitted`);
      if (got < Math.min(rows.length, Math.floor(quota / competing)))
        throw new Error(`${what}: the form got ${got} of its share of ${quota} among ${competing}`);
      if (waits.polls > Math.ceil(waits.among / quota) + 1)
        throw new Error(`${what}: the form got nothing in ${waits.polls} polls`);
    }
    for (const formId of this.watched.keys()) {
      const { deletedAt, rows } = this.form(formId);
      const left = rows.filter((row) => this.isFresh(row, ended)).map(({ created }) => created);
      if (left.length === 0) this.waitingFrom.delete(formId);
      else this.waitingFrom.set(formId, Math.max(...left));
      if (deletedAt < began && !((this.countedAt.get(formId) ?? 0) > deletedAt)) this.countedAt.set(formId, began);
    }
    this.lastGood = began;
    this.lastGoodEnd = ended;
  }

  /** What is owed and was not delivered. @param now ms */
  owed(now: number): Row[] {
    return [...this.watched.keys()].flatMap((formId) => this.owedOf(formId, now));
  }

  /** What is visible, clearly new and within the window of a form that is read. */
  private owedOf(formId: string, now: number): Row[] {
    const { rows, isArchived } = this.form(formId);
    if (isArchived || !this.isRead(formId)) return [];
    const start = this.windowStart(formId, now);
    return rows.filter((row) => row.created >= start && this.isFresh(row, now) && !this.status(row.id).isUnclear);
  }

  private isRead(formId: string): boolean {
    return !this.form(formId).isHidden && !this.starting.has(formId);
  }

  private isFresh({ id, since }: Row, now: number): boolean {
    return since !== undefined && since <= now && this.isOpen(id);
  }

  /** Whether a cursor may take it for new: also what it may repeat, as one that was deleted when the cursor began, and is restored. */
  private isNew({ id, since }: Row, now: number): boolean {
    return since !== undefined && since <= now && this.mayCome(id);
  }

  private mayCome(id: string): boolean {
    const { isPast, delivered, mayRepeat } = this.status(id);
    return !isPast && delivered <= mayRepeat;
  }

  private isOpen(id: string): boolean {
    const { isPast, delivered } = this.status(id);
    return !isPast && delivered === 0;
  }

  /** How many submissions of a form with slow files are to come, also for the second time. */
  private slowOf(formId: string): number {
    return this.form(formId).rows.filter(({ id, hasSlowFile }) => hasSlowFile && this.mayCome(id)).length;
  }

  private windowStart(formId: string, now: number): number {
    const { rows } = this.form(formId);
    const tooMany =
      rows.length <= WINDOW_ROWS ? 0 : (rows.map(({ created }) => created).sort((a, b) => b - a)[WINDOW_ROWS] ?? 0);
    return Math.max(this.watched.get(formId) ?? 0, now - WINDOW_MS, tooMany + 1);
  }

  private form(formId: string): Form {
    const form = this.forms.get(formId);
    if (form === undefined) throw new Error(`There is no form ${formId}`);
    return form;
  }

  private status(id: string): Status {
    const known = this.statuses.get(id);
    if (known !== undefined) return known;
    const status = { isPast: false, isUnclear: false, delivered: 0, mayRepeat: 0 };
    this.statuses.set(id, status);
    return status;
  }
}

/** How many pages show these, when each begins with the second in which the last one ended, unless that second fills a page. */
function pagesOf(rows: Row[], pageSize: number): number {
  const seconds = rows.map(({ created }) => Math.floor(created / SECOND)).sort((a, b) => a - b);
  let pages = 1;
  // The first page begins with the window, before any of them.
  let begin = -Infinity;
  for (let first = 0; first + pageSize < seconds.length; pages++) {
    const end = seconds[first + pageSize - 1] ?? 0;
    first = end > begin ? seconds.indexOf(end) : seconds.lastIndexOf(end) + 1;
    begin = end > begin ? end : end + 1;
  }
  return pages;
}
