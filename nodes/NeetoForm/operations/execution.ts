import type { IExecutePaginationFunctions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { DownloadRun } from '../downloads/get';
import type { FormDetails } from '../submissions/questions';

/** What the input items of one execution share, because n8n starts them all at once. */
export interface Execution {
  limiter: RequestLimiter;
  /** What was read of forms, by ID; undefined for a form that cannot be read. */
  forms: Map<string, Promise<FormDetails | undefined>>;
  /** All forms of the workspace, once a form was given by its title. */
  allForms?: Promise<Row[] | undefined>;
  /** Downloads share what is theirs: a file server that is slow or limits the rate holds up no request to the service. */
  files: Pick<DownloadRun, 'limiter' | 'servers' | 'stalledHosts'>;
}

/** By the ID of the node: the tools of an agent have the agent's execution. */
const executions = new WeakMap<object, Map<string, Execution>>();

/** Forgets what was read: with Retry On Fail, n8n runs the node again in the same execution. */
export function forgetForms(context: IExecutePaginationFunctions): void {
  const execution = executionOf(context);
  execution.forms.clear();
  execution.allForms = undefined;
}

/** What the input item of a context shares with the others of its execution. */
export function executionOf(context: IExecutePaginationFunctions): Execution {
  const key = context.getExecuteData();
  const ofNodes = executions.get(key) ?? new Map<string, Execution>();
  executions.set(key, ofNodes);
  const { id } = context.getNode();
  const execution = ofNodes.get(id) ?? {
    limiter: new RequestLimiter(),
    forms: new Map(),
    files: { limiter: new RequestLimiter(), servers: new Map(), stalledHosts: new Set() },
  };
  ofNodes.set(id, execution);
  return execution;
}
