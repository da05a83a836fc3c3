import { UnexpectedError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData, WorkflowActivateMode } from 'n8n-workflow';

/** `trigger` for a scheduled poll, the default, or `manual` for the editor's test. */
export interface PollMode {
  mode?: 'trigger' | 'manual';
}

/** The items of a poll, by output; null when it found nothing. */
export type PollResult = INodeExecutionData[][] | null;

/** A workflow with polling triggers, which it tells apart by the names of their nodes. */
interface Polls {
  activate(activation: WorkflowActivateMode): Promise<Map<string, PollResult | Error>>;
  poll(name: string, mode: PollMode): Promise<PollResult>;
  edit(change: (nodes: INode[]) => INode[]): void;
  staticDataOf(name: string): IDataObject;
  savedStaticData: IDataObject;
  readonly reported: Array<{ name: string; error: Error }>;
  find(nodeId: string, name?: string): Readonly<INode> | undefined;
}

/** One polling trigger of a workflow. */
export class Poller<T extends Polls = Polls> {
  readonly workflow: T;
  readonly nodeId: string;
  private readonly name: string | undefined;

  constructor(workflow: T, nodeId: string, name?: string) {
    this.workflow = workflow;
    this.nodeId = nodeId;
    this.name = name;
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
    const node = this.workflow.find(this.nodeId, this.name);
    if (node === undefined) throw new UnexpectedError(`The workflow has no node ${this.nodeId}`);
    return node;
  }
}
