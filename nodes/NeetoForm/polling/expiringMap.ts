/** A map whose entries expire. What triggers keep in this process is kept so: a trigger that polls no more leaves nothing behind. */
export class ExpiringMap<T> {
  private readonly entries = new Map<string, { value: T; setAt: number; ttlMs: number }>();

  /** Removes the entry when it has expired: a clock that is set back later does not bring it back. @param now ms */
  get(key: string, now: number): T | undefined {
    const entry = this.entries.get(key);
    // A clock that was set back makes an entry last twice as long at most.
    if (entry !== undefined && Math.abs(now - entry.setAt) < entry.ttlMs) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  /**
   * Sets an entry, and removes those that have expired.
   *
   * @param now ms
   * @param ttlMs how long the entry is kept
   */
  set(key: string, value: T, now: number, ttlMs: number): void {
    for (const other of [...this.entries.keys()]) this.get(other, now);
    this.entries.set(key, { value, setAt: now, ttlMs });
  }

  /** Removes all entries whose keys begin so. */
  deleteAll(start: string): void {
    for (const key of [...this.entries.keys()]) if (key.startsWith(start)) this.entries.delete(key);
  }
}
