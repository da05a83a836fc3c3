import { LOOKBACK, SECOND } from '../harness';

/** A submission as it is at the service. */
interface Row {
  id: string;
  formId: string;
  /** ms, as precisely as the service shows it. */
  created: number;
  /** ms from which it is visible; undefined while it is deleted. */
  since: number | undefined;
  /** The change that touched it last. */
  change: number;
  /** Submitted to an archived form that was not made active again. */
  isInArchive: boolean;
}

/** All submissions of a simulated service, and what happened to them. */
export class Submissions {
  /** How many changes there were. */
  changes = 0;
  readonly archived = new Set<string>();
  private readonly rows = new Map<string, Row>();

  insert(id: string, formId: string, created: number, since: number): void {
    this.rows.set(id, { id, formId, created, since, change: ++this.changes, isInArchive: this.archived.has(formId) });
  }

  delete(id: string): void {
    Object.assign(this.row(id), { since: undefined, change: ++this.changes });
  }

  restore(id: string, since: number): void {
    Object.assign(this.row(id), { since, change: ++this.changes });
  }

  deleteForm(formId: string): void {
    for (const row of this.ofForm(formId)) this.delete(row.id);
  }

  archive(formId: string, isArchived: boolean): void {
    if (isArchived) this.archived.add(formId);
    else this.archived.delete(formId);
    if (!isArchived) for (const row of this.ofForm(formId)) row.isInArchive = false;
  }

  row(id: string): Row {
    const row = this.rows.get(id);
    if (row === undefined) throw new Error(`There is no submission ${id}`);
    return row;
  }

  has(id: string): boolean {
    return this.rows.has(id);
  }

  ofForm(formId: string): Row[] {
    return this.all.filter((row) => row.formId === formId);
  }

  get all(): Row[] {
    return [...this.rows.values()];
  }
}

interface Status {
  /** Visible before the trigger watched the form. */
  isPast: boolean;
  /** Changed while the activation ran, or where the activation could not read: on either side of it. */
  isOptional: boolean;
  /** The last change of it if it was visible when the trigger began to triggerOn the form. */
  presentAt: number | undefined;
  delivered: number;
  /** How often n8n itself may have lost or repeated it by crashing. */
  mayBeLost: boolean;
  mayRepeat: number;
}

/** What one trigger has emitted, and what it has to emit. Knows nothing of how the trigger works. */
export class Ledger {
  private readonly statuses = new Map<string, Status>();
  private readonly watched = new Set<string>();
  /** Archived when the trigger began to triggerOn them. */
  private readonly dormant = new Set<string>();
  private readonly submissions: Submissions;
  private readonly marginMs: number;
  private readonly startFrom: number | undefined;

  /**
   * @param marginMs by how much the service's clock shortens the look-back
   * @param startFrom ms, the option Start From
   */
  constructor(submissions: Submissions, marginMs: number, startFrom: number | undefined) {
    this.submissions = submissions;
    this.marginMs = marginMs;
    this.startFrom = startFrom;
  }

  /**
   * The trigger began to triggerOn a form, whatever it knew of it before.
   *
   * @param began ms, and `change`, the last change before it
   * @param ended ms
   * @param isPartial whether requests failed meanwhile, so that the form may count from `ended` on only
   */
  watch(formId: string, { began, change, ended, isPartial }: Activation): void {
    this.watched.add(formId);
    const isDormant = this.submissions.archived.has(formId);
    if (isDormant) this.dormant.add(formId);
    else this.dormant.delete(formId);
    for (const row of this.submissions.ofForm(formId)) {
      const { since, created } = row;
      const isVisible = since !== undefined && since <= began;
      const isBetween = row.change > change || (since !== undefined && since > began && since <= ended);
      // A form that was not read counts from the activation's whole second on.
      const isUnclear = (isPartial || isDormant) && (!isVisible || created >= began - SECOND);
      const isOptional = isBetween || isUnclear;
      this.statuses.set(row.id, {
        ...newStatus(),
        isOptional,
        presentAt: isVisible ? row.change : undefined,
        isPast: this.startFrom === undefined && isVisible && !isOptional,
      });
    }
  }

  /** The trigger does not triggerOn a form any more. */
  unwatch(formId: string): void {
    this.watched.delete(formId);
    this.dormant.delete(formId);
  }

  /** A new form: everything in it is new. */
  watchNew(formId: string): void {
    this.watched.add(formId);
  }

  /** A form is not archived any more. */
  wake(formId: string): void {
    if (!this.dormant.delete(formId)) return;
    for (const { id } of this.submissions.ofForm(formId)) {
      const status = this.status(id);
      status.isOptional ||= !status.isPast;
    }
  }

  /** @returns what is wrong with emitting this now */
  deliver(id: string): string | undefined {
    if (!this.submissions.has(id)) return `${id} does not exist`;
    const { formId, created } = this.submissions.row(id);
    const status = this.status(id);
    status.delivered++;
    if (!this.watched.has(formId)) return `${id} belongs to a form that is not watched`;
    if (status.isPast) return `${id} is of the past`;
    if (this.startFrom !== undefined && created < this.startFrom) return `${id} is older than Start From`;
    return status.delivered > 1 + status.mayRepeat ? `${id} is repeated` : undefined;
  }

  /** n8n crashed when it had stored that these were emitted, and did not emit them. */
  excuseLoss(ids: string[]): void {
    for (const id of ids) this.status(id).mayBeLost = true;
  }

  /** n8n crashed when it had emitted these, and did not store it. */
  excuseRepeat(ids: string[]): void {
    for (const id of ids) this.status(id).mayRepeat++;
  }

  /** Emitted, and known to n8n as emitted. */
  get delivered(): string[] {
    return [...this.statuses].filter(([, { delivered, mayRepeat }]) => delivered > mayRepeat).map(([id]) => id);
  }

  /** Of each form, the submissions that are owed and not delivered, and how many may be emitted before the last of them. */
  backlogs(now: number): Map<string, { owed: string[]; waiting: number }> {
    const lost = this.lost(now);
    const formIds = new Set(lost.map((id) => this.submissions.row(id).formId));
    return new Map(
      [...formIds].map((formId) => {
        const rows = this.submissions.ofForm(formId);
        const waiting = rows.filter(({ id }) => this.status(id).delivered === 0 && !this.status(id).isPast).length;
        return [formId, { owed: rows.map(({ id }) => id).filter((id) => lost.includes(id)), waiting }];
      }),
    );
  }

  /** What is owed and was not delivered, computed from what happened at the service alone. @param now ms */
  lost(now: number): string[] {
    return this.submissions.all
      .filter((row) => this.isOwed(row, now))
      .map(({ id }) => id)
      .filter((id) => this.status(id).delivered === 0 && !this.status(id).mayBeLost);
  }

  /** The promise: it is visible, became so after the activation, and not later than the look-back after its own time. */
  private isOwed({ id, formId, created, since, change, isInArchive }: Row, now: number): boolean {
    const { isPast, isOptional, presentAt } = this.status(id);
    if (since === undefined || since > now || isPast || isInArchive) return false;
    if (!this.watched.has(formId) || this.dormant.has(formId)) return false;
    const isTimely = since - created <= LOOKBACK - this.marginMs;
    if (this.startFrom !== undefined) return created >= this.startFrom && (isTimely || presentAt === change);
    return isTimely && !isOptional;
  }

  private status(id: string): Status {
    const known = this.statuses.get(id);
    if (known !== undefined) return known;
    const status = newStatus();
    this.statuses.set(id, status);
    return status;
  }
}

/** When a trigger began to triggerOn its forms. */
export interface Activation {
  began: number;
  /** The last change at the service before it. */
  change: number;
  ended: number;
  isPartial: boolean;
}

function newStatus(): Status {
  return { isPast: false, isOptional: false, presentAt: undefined, delivered: 0, mayBeLost: false, mayRepeat: 0 };
}
