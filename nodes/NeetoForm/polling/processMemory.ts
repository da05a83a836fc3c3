/** What triggers remember in this process only. Entries expire, so that a trigger that polls no more leaves nothing behind. */
export class ProcessMemory<T> {
  private static readonly all: Array<ProcessMemory<unknown>> = [];

  private readonly entries = new Map<string, { value: T; setAt: number; expiresAt: number }>();

  constructor() {
    ProcessMemory.all.push(this);
  }

  /** Removes what expired, of every trigger. @param now ms */
  static prune(now: number): void {
    for (const memory of ProcessMemory.all) {
      for (const key of [...memory.entries.keys()]) if (memory.get(key, now) === undefined) memory.entries.delete(key);
    }
  }

  /** @param now ms */
  get(key: string, now: number): T | undefined {
    const entry = this.entries.get(key);
    // A clock that was set back must not keep an entry for longer.
    return entry !== undefined && now >= entry.setAt && now < entry.expiresAt ? entry.value : undefined;
  }

  /**
   * @param now ms
   * @param ttlMs how long the entry is kept
   */
  set(key: string, value: T, now: number, ttlMs: number): void {
    this.entries.set(key, { value, setAt: now, expiresAt: now + ttlMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
