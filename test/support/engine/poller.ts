import { UnexpectedError } from 'n8n-workflow';
import type { IDataObject, INode, WorkflowActivateMode } from 'n8n-workflow';

import type { PollingWorkflow, PollMode, PollResult } from './pollingWorkflow';

/** One polling trigger of a workflow, which may be added to it later. */
export class Poller {
  readonly workflow: PollingWorkflow;
  readonly nodeId: string;

  constructor(workflow: PollingWorkflow, nodeId: string) {
    this.workflow = workflow;
    this.nodeId = nodeId;
  }

  /** Activates the workflow. Returns what the first poll of this trigger returned; throws what it threw: "not activated". */
  async activate(activation: WorkflowActivateMode = 'activate'): Promise<PollResult> {
    const result = (await this.workflow.activate(activation)).get(this.found.name) ?? null;
    if (result instanceof Error) throw result;
    return result;
  }

  /** A scheduled poll, or the editor's test. */
  async poll(mode: PollMode = {}): Promise<PollResult> {
    return await this.workflow.poll(this.found.name, mode);
  }

  /** Changes the node while the workflow is not active. */
  change(change: Partial<INode>): void {
    const { name } = this.found;
    this.workflow.edit((nodes) => nodes.map((node) => (node.name === name ? { ...node, ...change } : node)));
  }

  /** The static data of the whole workflow, as the next poll finds it. */
  get staticData(): IDataObject {
    return this.workflow.staticDataOf(this.found.name);
  }

  /** Replaces it, in memory and in the database. */
  set staticData(value: IDataObject) {
    this.workflow.savedStaticData = value;
  }

  /** What n8n would find in its database after a crash. */
  get savedStaticData(): IDataObject {
    return this.workflow.savedStaticData;
  }

  /** The errors that the node reported as failed executions, besides what its polls returned or threw. */
  get reported(): Error[] {
    const { found } = this;
    return this.workflow.reported.filter(({ name }) => name === found.name).map(({ error }) => error);
  }

  /** A copy of the node. */
  get node(): INode {
    return structuredClone(this.found);
  }

  private get found(): Readonly<INode> {
    const node = this.workflow.find(this.nodeId);
    if (node === undefined) throw new UnexpectedError(`The workflow has no node ${this.nodeId}`);
    return node;
  }
}
