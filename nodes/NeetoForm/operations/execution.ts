import type { IExecutePaginationFunctions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { DownloadRun } from '../downloads/get';
import type { FormDetails } from '../submissions/questions';

/**
 * What the input items of one execution share. n8n starts all items at once: without this, each of a hundred items would read the same
 * form, and send six requests at a time.
 */
export interface Execution {
  /** Limits the requests to the service. */
  limiter: RequestLimiter;
  /**
   * The titles and questions of forms, by the form's ID. Undefined for a form that the service answers with 403 or 404. A form that cannot be
   * read for another reason is removed: a later input item, or the next try of Retry On Fail, reads it again.
   */
  forms: Map<string, Promise<FormDetails | undefined>>;
  /** The reading of all forms, as long as it is under way. An input item that gives a form by its title begins it, or waits for it, too. */
  allForms?: Promise<Row[] | undefined>;
  /** Lets Add run for one input item after the other, so that each sees the members whom the ones before it have added. */
  addQueue: RequestLimiter;
  /** What downloads share. They have limiters of their own, so that a slow file server does not hold up requests to the service. */
  downloads: Pick<DownloadRun, 'limiter' | 'servers' | 'stalledHosts'>;
}

/**
 * The executions that are under way, by n8n's object for an execution of a node. The ID of the node is a second key: the tools of an AI
 * agent are nodes of their own, but n8n gives all of them the agent's object.
 */
const executions = new WeakMap<object, Map<string, Execution>>();

/** Finds what the input items of an execution share, from the context of any of them. It is made for the first input item. */
export function executionOf(context: IExecutePaginationFunctions): Execution {
  const key = context.getExecuteData();
  const ofNodes = executions.get(key) ?? new Map<string, Execution>();
  executions.set(key, ofNodes);
  const { id } = context.getNode();
  const execution = ofNodes.get(id) ?? {
    limiter: new RequestLimiter(),
    forms: new Map(),
    addQueue: new RequestLimiter(undefined, 1),
    downloads: { limiter: new RequestLimiter(), servers: new Map(), stalledHosts: new Set() },
  };
  ofNodes.set(id, execution);
  return execution;
}
