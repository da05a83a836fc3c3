import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Clock } from '../../nodes/NeetoForm/api/clock';

/** Time that passes only while everything that runs is waiting for it. */
export class VirtualTime {
  /** ms since 1970 */
  now: number;
  /** ms by which the clock of n8n's computer is ahead. */
  skew = 0;
  readonly computer: Clock = {
    now: () => this.now + this.skew,
    sleep: async (ms) => await this.pass(ms),
    timeout: (ms) => this.timeout(ms),
  };
  private timers: Array<{ at: number; fire: () => void }> = [];
  /** How many tasks do not wait for time to pass. */
  private running = 0;
  /** What calls of `until` wait for. Only the call that waits for the first of them lets time pass. */
  private awaited: Array<Promise<unknown>> = [];

  constructor(now: number) {
    this.now = now;
  }

  advance(ms: number): void {
    const end = this.now + ms;
    while ((this.timers[0]?.at ?? Infinity) <= end) this.fireNext();
    this.now = end;
  }

  /** Waits for so many ms. @throws what n8n's request helper throws when the signal aborts before */
  async pass(ms: number, signal?: IHttpRequestOptions['abortSignal']): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = () => reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
      this.add(ms, () => {
        signal?.removeEventListener?.('abort', cancel);
        resolve();
      });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener?.('abort', cancel);
    });
  }

  timeout(ms: number): AbortSignal {
    const controller = new AbortController();
    if (ms <= 0) controller.abort();
    else this.add(ms, () => controller.abort());
    return controller.signal;
  }

  /** No time passes during the task. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    this.running++;
    return await task().finally(() => this.running--);
  }

  /** Lets time pass until the work is done. @throws Error when it waits for what never comes */
  async until<T>(work: Promise<T>): Promise<T> {
    this.awaited.push(work);
    const end = () => {
      this.awaited = this.awaited.filter((other) => other !== work);
    };
    work.then(end, end);
    await nextTurn();
    while (this.awaited.includes(work)) {
      if (this.running === 0 && this.awaited[0] === work) this.fireNext();
      await nextTurn();
    }
    return await work;
  }

  private add(ms: number, fire: () => void): void {
    const at = this.now + Math.max(0, ms);
    const place = this.timers.findLastIndex((timer) => timer.at <= at);
    this.timers.splice(place + 1, 0, { at, fire });
  }

  /** Ends all waits that are due next, at once. */
  private fireNext(): void {
    const at = this.timers[0]?.at;
    if (at === undefined || at === Infinity) throw new Error('It never ends');
    this.now = Math.max(this.now, at);
    const due = this.timers.filter((timer) => timer.at <= at);
    this.timers = this.timers.slice(due.length);
    for (const { fire } of due) fire();
  }
}
