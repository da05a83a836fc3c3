import type { IExecutePaginationFunctions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import type { FormDetails } from '../submissions/questions';

/** What the input items of one execution share, because n8n starts them all at once. */
export interface Execution {
  limiter: RequestLimiter;
  /** What was read of forms, by ID; undefined for a form that cannot be read. */
  forms: Map<string, Promise<FormDetails | undefined>>;
  /** All forms of the workspace, once a form was given by its title. */
  allForms?: Promise<Row[]>;
  /** Servers of files that sent nothing for too long. */
  stalledHosts: Set<string>;
}

const executions = new WeakMap<object, Execution>();

/** What the input item of a context shares with the others of its execution. */
export function executionOf(context: IExecutePaginationFunctions): Execution {
  const key = context.getExecuteData();
  const execution = executions.get(key) ?? {
    limiter: new RequestLimiter(),
    forms: new Map(),
    stalledHosts: new Set(),
  };
  executions.set(key, execution);
  return execution;
}
