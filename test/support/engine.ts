import { NeetoFormApi } from '../../credentials/NeetoFormApi.credentials';
import { createEngine } from './engine/createEngine';

export { clearLog, deepText, loggedText } from './engine/log';
export type { Poller, PollOverrides } from './engine/poller';
export type { ListSearchOptions, PollerOptions, RunOptions } from './engine/createEngine';

export const { runNode, createPoller, listSearch, loadOptions, testCredential } = createEngine([new NeetoFormApi()]);
