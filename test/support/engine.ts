import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { createEngine } from './engine/createEngine';

export { clearLog, deepText, loggedText } from './engine/log';
export type { Poller, PollingWorkflow, PollOverrides, PollResult } from './engine/pollingWorkflow';
export type {
  ListSearchOptions,
  PollerOptions,
  PollingWorkflowOptions,
  RunOptions,
  TriggerOptions,
} from './engine/createEngine';

export const { runNode, createPoller, createPollingWorkflow, listSearch, loadOptions, testCredential } = createEngine([
  new NeetoFormApi(),
]);
