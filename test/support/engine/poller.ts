import { PollContext } from 'n8n-core';
import { UnexpectedError, Workflow } from 'n8n-workflow';
import type {
  IDataObject,
  INode,
  INodeExecutionData,
  INodeParameters,
  INodeType,
  IWorkflowExecuteAdditionalData,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';

import { record } from './log';
import { onlyType } from './nodeTypes';

export interface PollOverrides {
  /** `trigger` for a scheduled poll, `manual` for the editor's test. */
  mode?: WorkflowExecuteMode;
  activation?: WorkflowActivateMode;
}

export interface PollerSetup {
  nodeType: INodeType;
  node: INode;
  additionalData: () => IWorkflowExecuteAdditionalData;
  workflowId: string;
  timezone: string;
  staticData: IDataObject;
  mode: WorkflowExecuteMode;
  scheduler: 'memory' | 'durable';
  pollBudgetMs?: number;
}

/**
 * One poll node of one active workflow, kept alive between polls as n8n keeps it, with n8n's rules for what of its static data
 * reaches the database: at activation and when items were emitted, not after a null poll. With the durable scheduler each poll starts
 * from the database, the node's own data is stored with the items or after a null poll, and a throw stores nothing.
 */
export class Poller {
  private readonly setup: PollerSetup;
  private workflow: Workflow;
  private activation: WorkflowActivateMode = 'activate';
  private saved: IDataObject;
  private storedCursor: IDataObject | undefined;
  /** What the node told n8n to file as failed executions, beside what its polls returned. */
  readonly reported: Error[] = [];
  /** Without the durable scheduler n8n keeps one context from the activation on. */
  private kept: PollContext | undefined;

  constructor(setup: PollerSetup) {
    this.setup = setup;
    this.saved = structuredClone(setup.staticData);
    this.workflow = this.newWorkflow();
  }

  /** The first poll, which n8n makes when the workflow is published (`activate`) or n8n starts (`init`). A throw means "not activated". */
  async activate(activation: WorkflowActivateMode = 'activate'): Promise<INodeExecutionData[][] | null> {
    this.activation = activation;
    this.workflow = this.newWorkflow();
    const result = await this.run({ mode: this.setup.mode, activation }, true);
    this.save();
    return result;
  }

  /** A scheduled poll. n8n keeps telling the activation mode of the last activation; the durable scheduler always says `update`. */
  async poll(over: PollOverrides = {}): Promise<INodeExecutionData[][] | null> {
    const durable = this.setup.scheduler === 'durable';
    const mode = over.mode ?? this.setup.mode;
    if (durable && mode !== 'manual') this.workflow = this.newWorkflow();
    return await this.run(
      { mode, activation: over.activation ?? (mode === 'manual' ? 'manual' : durable ? 'update' : this.activation) },
      false,
    );
  }

  /** n8n dies and comes up again: what was in memory and not stored is gone. Follow it with `activate('init')`. */
  restart(): void {
    this.workflow = this.newWorkflow();
  }

  /** The node gets another name. n8n files a node's static data under its name, so the data stays behind. */
  rename(name: string): void {
    this.setup.node.name = name;
    this.republish();
  }

  setParameters(parameters: INodeParameters): void {
    this.setup.node.parameters = structuredClone(parameters);
    this.republish();
  }

  /** A plain copy of the static data of the whole workflow, as it is in memory: `{global, 'node:<name>'}`. */
  get staticData(): IDataObject {
    const inMemory = plain(this.workflow.staticData);
    if (this.storedCursor !== undefined) inMemory[this.nodeKey] = structuredClone(this.storedCursor);
    return inMemory;
  }

  /** Replaces it, in memory and in the database. */
  set staticData(value: IDataObject) {
    this.saved = plain(value);
    const cursor = this.saved[this.nodeKey];
    this.storedCursor = this.setup.scheduler === 'durable' && isObject(cursor) ? cursor : undefined;
    this.workflow = this.newWorkflow();
  }

  /** A plain copy of what n8n would find in its database after a crash at this moment. */
  get savedStaticData(): IDataObject {
    const stored = plain(this.saved);
    if (this.storedCursor !== undefined) stored[this.nodeKey] = structuredClone(this.storedCursor);
    return stored;
  }

  get node(): INode {
    return structuredClone(this.setup.node);
  }

  private get nodeKey(): string {
    return `node:${this.setup.node.name}`;
  }

  private async run(over: Required<PollOverrides>, activating: boolean): Promise<INodeExecutionData[][] | null> {
    const { workflow } = this;
    const { nodeType, scheduler, additionalData, pollBudgetMs } = this.setup;
    const node = workflow.getNode(this.setup.node.name);
    if (node === null || nodeType.poll === undefined) throw new UnexpectedError('The node under test does not poll');

    const durable = scheduler === 'durable' && over.mode !== 'manual';
    const staged = structuredClone(this.storedCursor ?? plain(workflow.getStaticData('node', node)));
    const isKept =
      !durable &&
      over.mode !== 'manual' &&
      !activating &&
      this.kept !== undefined &&
      over.activation === this.activation;
    const context =
      (isKept ? this.kept : undefined) ??
      new PollContext(
        workflow,
        node,
        additionalData(),
        over.mode,
        over.activation,
        undefined,
        (error) => this.reported.push(error),
        undefined,
        undefined,
        durable ? () => staged : undefined,
        pollBudgetMs === undefined ? undefined : () => pollBudgetMs,
      );
    if (over.mode !== 'manual') this.kept = context;
    record(context.logger);

    const { poll } = nodeType;
    const result = await workflow.expression.withIsolate(async () => await poll.call(context));
    if (over.mode === 'manual') return result;

    if (durable && (result !== null || !activating)) this.storedCursor = plain(staged);
    if (result !== null) this.save(workflow);
    return result;
  }

  private save(workflow = this.workflow): void {
    if (workflow.staticData.__dataChanged !== true) return;
    this.saved = plain(workflow.staticData);
    workflow.staticData.__dataChanged = false;
  }

  private republish(): void {
    this.saved = plain(this.workflow.staticData);
    this.workflow = this.newWorkflow();
  }

  private newWorkflow(): Workflow {
    this.kept = undefined;
    const { node, nodeType, workflowId, timezone } = this.setup;
    return new Workflow({
      id: workflowId,
      name: 'Workflow under test',
      nodes: [structuredClone(node)],
      connections: {},
      active: true,
      nodeTypes: onlyType(nodeType),
      staticData: structuredClone(this.saved),
      settings: { timezone },
    });
  }
}

function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As the database stores it: JSON, without the observer that n8n puts around it. */
function plain(value: IDataObject): IDataObject {
  return JSON.parse(JSON.stringify(value)) as IDataObject;
}
