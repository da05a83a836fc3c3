import type { IExecutePaginationFunctions } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { newLimits, type Limits } from '../api/retry';
import { Slots } from '../api/slots';
import type { FormDetails } from '../submissions/questions';

/** What the input items of one execution share. n8n starts all at once: without this, a hundred items would request a form a hundred times. */
export class Execution {
  readonly limits = newLimits();
  /** By the form's ID. Undefined for a form that the service answers with 403 or 404. */
  readonly forms = new Map<string, Promise<FormDetails | undefined>>();
  /** All forms, while their list is being read. The promise gives undefined if the API key may not read the list. */
  allForms?: Promise<Row[] | undefined>;
  /** Runs Add for one input item after the other. Each then sees the members that the items before it have added. */
  readonly addQueue = new Slots(1);
  /** Downloads have slots and limits of their own, so that a slow file server does not hold up requests to the service. */
  readonly downloads = {
    slots: new Slots(),
    servers: new Map<string, Limits>(),
    stalledHosts: new Set<string>(),
  };
}

/** The outer key is n8n's object for an execution. All tools of an AI agent get the same one, so the inner key is the node's ID. */
const executions = new WeakMap<object, Map<string, Execution>>();

/** Returns what the input items of an execution share. The first input item creates it. */
export function executionOf(context: IExecutePaginationFunctions): Execution {
  const key = context.getExecuteData();
  const ofNodes = executions.get(key) ?? new Map<string, Execution>();
  executions.set(key, ofNodes);
  const { id } = context.getNode();
  const execution = ofNodes.get(id) ?? new Execution();
  ofNodes.set(id, execution);
  return execution;
}
