import { LOOKBACK } from './schedule';

interface Entry {
  id: string;
  /** ms, as precisely as the service shows it. */
  created: number;
  /** ms from which it can be seen; undefined while it is deleted. */
  since: number | undefined;
  /** Seen by the activation, so a thing of the past. */
  isPast: boolean;
  /** Came, went or became visible while the activation ran: on either side of it. */
  isBetween: boolean;
  delivered: number;
  /** How often n8n itself may have lost it or handed it out again by dying. */
  mayBeLost: boolean;
  mayRepeat: number;
}

/** What is owed of the submissions, computed from what happened at the service alone. */
export interface Balance {
  eligible: number;
  lost: string[];
  repeated: string[];
  /** Handed out though it is of the past, or does not exist. */
  uninvited: string[];
}

/** Who was handed out, and who has to be. Knows nothing of how the trigger works. */
export class Ledger {
  private readonly entries = new Map<string, Entry>();
  private readonly unknown: string[] = [];
  private readonly marginMs: number;
  private active: 'not yet' | 'now' | 'since' = 'not yet';
  private readonly startFrom: number | undefined;
  /** ms */
  private activated = Infinity;

  /** @param marginMs what the service's clock leaves less of the look-back */
  constructor(marginMs: number, startFrom: number | undefined) {
    this.marginMs = marginMs;
    this.startFrom = startFrom;
  }

  insert(id: string, created: number, visibleAt: number, now: number): void {
    const since = Math.max(visibleAt, now, this.earliest);
    this.entries.set(id, {
      id,
      created,
      since,
      isPast: false,
      isBetween: this.active === 'now',
      delivered: 0,
      mayBeLost: false,
      mayRepeat: 0,
    });
  }

  delete(id: string): void {
    const entry = this.entry(id);
    entry.since = undefined;
    if (this.active === 'now') entry.isBetween = true;
  }

  restore(id: string, visibleAt: number, now: number): void {
    this.entry(id).since = Math.max(visibleAt, now, this.earliest);
  }

  beginActivation(): void {
    this.active = 'now';
  }

  /** The workflow could not be activated. */
  cancelActivation(): void {
    this.active = 'not yet';
    for (const entry of this.entries.values()) entry.isBetween = false;
  }

  endActivation(began: number, ended: number): void {
    this.active = 'since';
    this.activated = began;
    for (const entry of this.entries.values()) {
      const { since } = entry;
      if (since === undefined) continue;
      if (since > began && since <= ended) entry.isBetween = true;
      if (this.startFrom === undefined) entry.isPast = since <= began && !entry.isBetween;
    }
  }

  /** @returns what is wrong with handing this out now */
  deliver(id: string): string | undefined {
    const entry = this.entries.get(id);
    if (entry === undefined) {
      this.unknown.push(id);
      return `${id} does not exist`;
    }
    entry.delivered++;
    if (entry.isPast) return `${id} is of the past`;
    if (this.startFrom !== undefined && entry.created < this.startFrom) return `${id} is older than Start From`;
    return entry.delivered > 1 + entry.mayRepeat ? `${id} is repeated` : undefined;
  }

  /** n8n died having stored that these were handed out, and did not hand them out. */
  excuseLoss(ids: string[]): void {
    for (const id of ids) this.entry(id).mayBeLost = true;
  }

  /** n8n died having handed these out, and did not store it. */
  excuseRepeat(ids: string[]): void {
    for (const id of ids) this.entry(id).mayRepeat++;
  }

  created(id: string): number {
    return this.entry(id).created;
  }

  /** When the last one can be seen that is there or to come. */
  get lastVisible(): number {
    let last = 0;
    for (const { since = 0 } of this.entries.values()) last = Math.max(last, since);
    return last;
  }

  /** Handed out, and known to n8n as handed out. */
  get delivered(): string[] {
    return [...this.entries.values()].filter(({ delivered, mayRepeat }) => delivered > mayRepeat).map(({ id }) => id);
  }

  /** @param now ms, when all polls are done */
  balance(now: number): Balance {
    const all = [...this.entries.values()];
    const owed = all.filter((entry) => this.isOwed(entry, now));
    return {
      eligible: owed.length,
      lost: owed.filter(({ delivered, mayBeLost }) => delivered === 0 && !mayBeLost).map(({ id }) => id),
      repeated: all.filter(({ delivered, mayRepeat }) => delivered > 1 + mayRepeat).map(({ id }) => id),
      uninvited: [
        ...this.unknown,
        ...all.filter(({ delivered, isPast }) => delivered > 0 && isPast).map(({ id }) => id),
      ],
    };
  }

  /** The promise: it can be seen, became so after the activation, and not later than the look-back after its own time. */
  private isOwed({ created, since, isPast, isBetween }: Entry, now: number): boolean {
    if (since === undefined || since > now || isPast) return false;
    const isTimely = since - created <= LOOKBACK - this.marginMs;
    if (this.startFrom !== undefined) return created >= this.startFrom && (isTimely || since <= this.activated);
    return isTimely && !isBetween;
  }

  /** What comes in the very ms of the activation, but after it, was not there when it looked. */
  private get earliest(): number {
    return this.active === 'since' ? this.activated + 1 : 0;
  }

  private entry(id: string): Entry {
    const entry = this.entries.get(id);
    if (entry === undefined) throw new Error(`The ledger does not know ${id}`);
    return entry;
  }
}
