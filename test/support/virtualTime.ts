/** Virtual time, which passes when everything that runs waits for it. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Clock } from '../../nodes/NeetoForm/api/clock';

interface Timer {
  at: number;
  fire: () => void;
}

export class VirtualTime {
  /** ms since 1970 */
  now: number;
  /** ms by which the clock of n8n's computer is ahead. */
  skew = 0;
  /** The clock of n8n's computer. */
  readonly computer: Clock = {
    now: () => this.now + this.skew,
    sleep: async (ms) => await this.pass(ms),
    timeout: (ms) => this.timeout(ms),
  };
  private timers: Timer[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Time passes while nothing runs. */
  advance(ms: number): void {
    const end = this.now + ms;
    while ((this.timers[0]?.at ?? Infinity) <= end) this.fireNext();
    this.now = end;
  }

  /** Waits so long, or until the signal aborts. @throws what n8n's request helper throws then */
  async pass(ms: number, signal?: IHttpRequestOptions['abortSignal']): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const cancel = () => {
        reject(Object.assign(new Error('canceled'), { code: 'ERR_CANCELED' }));
      };
      this.add(ms, () => {
        signal?.removeEventListener?.('abort', cancel);
        resolve();
      });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener?.('abort', cancel);
    });
  }

  /** @returns a signal that aborts after so many ms */
  timeout(ms: number): AbortSignal {
    const controller = new AbortController();
    if (ms <= 0) controller.abort();
    else this.add(ms, () => controller.abort());
    return controller.signal;
  }

  /** Lets time pass until the work is done. @throws Error when it waits for something that never comes */
  async until<T>(work: Promise<T>): Promise<T> {
    const progress = { isOver: false };
    const end = () => {
      progress.isOver = true;
    };
    work.then(end, end);
    await nextTurn();
    while (!progress.isOver) {
      if (this.timers.length === 0) throw new Error('It never ends');
      this.fireNext();
      await nextTurn();
    }
    return await work;
  }

  private add(ms: number, fire: () => void): void {
    const at = this.now + Math.max(0, ms);
    const place = this.timers.findLastIndex((timer) => timer.at <= at);
    this.timers.splice(place + 1, 0, { at, fire });
  }

  /** Everything that is due next, at once. */
  private fireNext(): void {
    const at = this.timers[0]?.at ?? this.now;
    this.now = Math.max(this.now, at);
    const due = this.timers.filter((timer) => timer.at <= at);
    this.timers = this.timers.slice(due.length);
    for (const { fire } of due) fire();
  }
}
