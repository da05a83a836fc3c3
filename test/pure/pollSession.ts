import { PollContext } from 'n8n-core';
import type { IDataObject, INode, WorkflowActivateMode } from 'n8n-workflow';
import type { Clock } from '../../nodes/NeetoForm/api/clock';
import { PollSession } from '../../nodes/NeetoForm/polling/session';
import { CredentialsInMemory } from '../support/engine/credentials';
import { additionalDataWith } from '../support/engine/execute';
import { placeholderNode, placeholderType, workflowOf } from '../support/engine/workflow';

let sessions = 0;

/** What a session in a test may differ in. */
export interface SessionOptions {
  node?: INode;
  /** Nodes beside it in its workflow. */
  others?: INode[];
  /** What is kept in the process is kept by workflow. Default: another one for each session. */
  workflowId?: string;
  /** The workflow's static data. */
  staticData?: IDataObject;
  /** ms, the clock of n8n's computer */
  now?: () => number;
  timeout?: Clock['timeout'];
  workspace?: string;
  activation?: WorkflowActivateMode;
  /** Takes the errors that a node reports. */
  report?: (error: Error) => void;
}

/** A session of a poll that sends no requests, in n8n's own context. */
export function pollSession(options: SessionOptions = {}): PollSession {
  const { node = placeholderNode(), others = [], staticData = {}, now = () => 0, report } = options;
  const { workflowId: id = `workflow ${++sessions}`, workspace = 'https://acme.neetoform.com' } = options;
  const { timeout = () => new AbortController().signal, activation = 'update' } = options;
  const workflow = workflowOf(placeholderType(), [node, ...others], { id, staticData });
  const context = new PollContext(
    workflow,
    node,
    additionalDataWith(new CredentialsInMemory({})),
    'trigger',
    activation,
    undefined,
    report,
  );
  const clock = { now, timeout, sleep: async () => await Promise.resolve() };
  return new PollSession(context, clock, workspace, { formsField: 'Form' });
}
