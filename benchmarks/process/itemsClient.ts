import { credentialOf } from '../contenders/contender.ts';
import { startExpressionEngine } from '../engine/n8n.ts';
import { type Setup, registered, runNode } from '../engine/nodeRun.ts';
import { credentialType, httpRequest, neetoForm } from '../engine/packages.ts';
import { answer } from './rpc.ts';
import type { ServiceAddress } from './service.ts';

/** Who asks for a form once per input item. */
export type ItemsContender = 'ours' | 'http';

const types = { ours: registered(neetoForm()), http: httpRequest() };

const handlers = {
  async prepare(): Promise<void> {
    await startExpressionEngine();
  },

  /** Runs a node that asks for a form, with so many input items. Gives the time it took, ms. */
  async run({
    name,
    service,
    formId,
    items,
  }: {
    name: ItemsContender;
    service: ServiceAddress;
    formId: string;
    items: number;
  }): Promise<number> {
    globalThis.gc?.();
    const setup = setupOf(name, service, formId);
    const input = Array.from({ length: items }, (_, index) => ({ json: { index } }));
    const started = performance.now();
    const output = await runNode(setup, input);
    const ms = performance.now() - started;
    if (output.length !== items) throw new Error(`${name} gave ${output.length} items for ${items}`);
    return ms;
  },
};

export type ItemsHandlers = typeof handlers;

function setupOf(name: ItemsContender, service: ServiceAddress, formId: string): Setup {
  const shared = { credentialType: credentialType(), credential: credentialOf(service) };
  if (name === 'ours') {
    const parameters = { resource: 'form', operation: 'get', formId: { __rl: true, mode: 'id', value: formId } };
    return { ...shared, type: types.ours, from: 'n8n-nodes-neetoform', parameters };
  }
  const parameters = {
    method: 'GET',
    url: `${service.url}/api/external/v2/forms/${formId}`,
    authentication: 'predefinedCredentialType',
    nodeCredentialType: 'neetoFormApi',
    options: {},
  };
  return { ...shared, type: types.http, from: 'n8n-nodes-base', parameters };
}

answer(handlers);
