import { credentialOf } from '../contenders/contender.ts';
import { startExpressionEngine } from '../engine/n8n.ts';
import { createPoller } from '../engine/nodeRun.ts';
import { credentialType, neetoFormTrigger } from '../engine/packages.ts';
import { answer } from './rpc.ts';
import type { ServiceAddress } from './service.ts';

/** A trigger that watches a form. */
export interface Watch {
  service: ServiceAddress;
  formId: string;
  options?: { startFrom: string; maxSubmissions: number };
}

/** Some polls in a row. */
export interface PollMeasure {
  ms: number;
  /** What they handed out, taken together. */
  items: number;
}

const pollers: Array<ReturnType<typeof createPoller>> = [];

const handlers = {
  async prepare(): Promise<void> {
    await startExpressionEngine();
  },

  /** Gives the number of the watch, which has not polled yet. */
  async watch({ service, formId, options }: Watch): Promise<number> {
    const parameters = { formId: { __rl: true, mode: 'id', value: formId }, options: options ?? {} };
    const credential = credentialOf(service);
    return (
      pollers.push(
        createPoller({
          type: neetoFormTrigger(),
          from: 'n8n-nodes-neetoform',
          parameters,
          credentialType: credentialType(),
          credential,
        }),
      ) - 1
    );
  },

  async poll({ watch, times }: { watch: number; times: number }): Promise<PollMeasure> {
    const poll = pollers[watch];
    if (poll === undefined) throw new Error('There is no such watch');
    globalThis.gc?.();
    let items = 0;
    const started = performance.now();
    for (let time = 0; time < times; time += 1) items += (await poll())?.[0]?.length ?? 0;
    return { ms: performance.now() - started, items };
  },
};

export type PollingHandlers = typeof handlers;

answer(handlers);
