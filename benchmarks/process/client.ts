import { loadContender } from '../contenders/index.ts';
import type { Contender, ContenderName } from '../contenders/contender.ts';
import { answer } from './rpc.ts';
import type { ServiceAddress } from './service.ts';

/** One fetch of all submissions of a form. */
export interface FetchMeasure {
  ms: number;
  /** Processor time of the whole process, its collector and the expression engine included. */
  cpuMs: number;
  submissions: number;
  /** What the process's memory grew by at most, since before the first fetch that is measured. */
  peakRssBytes: number;
  /** What was fetched, as JSON text: what the growth is to be compared with. */
  resultBytes: number;
}

let contender: Contender | undefined;
let rssBefore = 0;

const handlers = {
  async prepare({ name, service }: { name: ContenderName; service: ServiceAddress }): Promise<void> {
    if (name !== 'axios' && name !== 'bare') await (await import('../engine/n8n.ts')).startExpressionEngine();
    contender = await (await loadContender(name))(service);
  },

  /** Lets the compiler see the code that will be measured. */
  async warmUp({ formId, times }: { formId: string; times: number }): Promise<void> {
    for (let time = 0; time < times; time += 1) await chosen().fetchAll(formId);
    globalThis.gc?.();
    rssBefore = process.memoryUsage.rss();
  },

  async fetchAll({ formId }: { formId: string }): Promise<FetchMeasure> {
    globalThis.gc?.();
    const cpuBefore = process.cpuUsage();
    const started = performance.now();
    const result = await chosen().fetchAll(formId);
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpuBefore);
    const peakRssBytes = Math.max(0, process.resourceUsage().maxRSS * 1024 - rssBefore);
    return {
      ms,
      cpuMs: (user + system) / 1_000,
      submissions: chosen().count(result),
      peakRssBytes,
      resultBytes: JSON.stringify(result).length,
    };
  },
};

export type ClientHandlers = typeof handlers;

function chosen(): Contender {
  if (contender === undefined) throw new Error('There is no contender yet');
  return contender;
}

answer(handlers);
