import type { Setup } from '../engine/nodeRun.ts';
import { registered, runNode } from '../engine/nodeRun.ts';
import { credentialType, neetoForm } from '../engine/packages.ts';
import type { ServiceAddress } from '../process/service.ts';
import { type Contender, credentialOf } from './contender.ts';

/** This package's node: Return All, everything else as the editor presets it. */
export function ours(service: ServiceAddress): Contender {
  const type = registered(neetoForm());
  return {
    async fetchAll(formId) {
      const setup: Setup = {
        type,
        from: 'n8n-nodes-neetoform',
        parameters: {
          resource: 'submission',
          operation: 'getAll',
          formId: { __rl: true, mode: 'id', value: formId },
          returnAll: true,
        },
        credentialType: credentialType(),
        credential: credentialOf(service),
      };
      return await runNode(setup);
    },
    count: (items) => (Array.isArray(items) ? items.length : 0),
  };
}
