import { PollContext, WorkflowExecute } from 'n8n-core';
import { UnexpectedError } from 'n8n-workflow';
import type {
  IDataObject,
  INode,
  INodeExecutionData,
  INodeType,
  Workflow,
  WorkflowActivateMode,
  WorkflowExecuteMode,
} from 'n8n-workflow';

import type { CredentialsInMemory } from './credentials';
import { additionalDataWith } from './execute';
import { record } from './log';
import { isObject, workflowOf } from './workflow';

/** `trigger` for a scheduled poll, the default, or `manual` for the editor's test. */
interface PollMode {
  mode?: 'trigger' | 'manual';
}

/** The items of a poll, by output; null when it found nothing. */
export type PollResult = INodeExecutionData[][] | null;

/** How n8n polls. */
export interface PollingSettings {
  staticData?: IDataObject;
  /** What `getPollBudgetMs()` returns; n8n says five minutes unless its durable scheduler runs. */
  pollBudgetMs?: number;
  /** Where n8n keeps the state between polls. Default: `memory`, n8n's default. */
  scheduler?: 'memory' | 'durable';
}

/** A trigger that n8n runs: the version of the workflow it was published with, and the context of its polls. */
interface ActiveTrigger {
  workflow: Workflow;
  node: INode;
  activation: WorkflowActivateMode;
  /** Without the durable scheduler n8n keeps one context from the activation on. */
  context: PollContext | undefined;
}

let workflows = 0;

/**
 * One workflow with any number of polling triggers, with n8n's rules for their static data.
 *
 * In memory: static data is filed under the node's *name*; it is written to the database at activation and when items were emitted, not
 * after a null poll. What one trigger writes replaces the static data of all.
 *
 * Durable: each poll starts from the database. A trigger's cursor is filed under the node's *id*, begins with the static data of its name,
 * and is stored with the items or after a null poll; a throw stores nothing, nor does an activation poll without items.
 */
export class PollingWorkflow {
  private readonly nodeType: INodeType;
  private readonly credentialsHelper: CredentialsInMemory;
  private readonly settings: PollingSettings;
  /** What a trigger keeps in its process is kept by workflow: each process has another. */
  private readonly id = `workflow-${++workflows}`;
  private nodes: INode[];
  private saved: IDataObject = {};
  private readonly active = new Map<string, ActiveTrigger>();
  private readonly cursors = new Map<string, IDataObject>();
  /** Errors that the nodes reported as failed executions, besides what their polls returned or threw. */
  readonly reported: Array<{ nodeId: string; error: Error }> = [];

  constructor(nodeType: INodeType, nodes: INode[], credentialsHelper: CredentialsInMemory, settings: PollingSettings) {
    this.nodeType = nodeType;
    this.nodes = structuredClone(nodes);
    this.credentialsHelper = credentialsHelper;
    this.settings = settings;
    this.savedStaticData = settings.staticData ?? {};
  }

  /** Another process of n8n, which finds this in its database and nothing in its memory. */
  restarted(staticData = this.savedStaticData): PollingWorkflow {
    return new PollingWorkflow(this.nodeType, this.nodes, this.credentialsHelper, { ...this.settings, staticData });
  }

  /** A trigger of this workflow; it may be added later. */
  trigger(nodeId: string): Poller {
    return new Poller(this, nodeId);
  }

  /** A copy of the nodes. */
  get currentNodes(): INode[] {
    return structuredClone(this.nodes);
  }

  /** Changes the nodes while the workflow is not active. Follow it with `activate()`. */
  edit(change: (nodes: INode[]) => INode[]): void {
    this.nodes = structuredClone(change(this.currentNodes));
    this.active.clear();
    this.load(this.nodes, 'activate');
  }

  /**
   * Makes all triggers active, as when the workflow is published for the first time (`activate`) or n8n starts (`init`).
   * @returns what the first polls returned or threw, by node id
   */
  async activate(activation: WorkflowActivateMode = 'activate'): Promise<Map<string, PollResult | Error>> {
    const results = new Map<string, PollResult | Error>();
    const workflow = this.load(this.nodes, activation);
    for (const { id } of this.nodes) {
      try {
        results.set(id, await this.run(id, 'trigger', activation, true));
      } catch (error) {
        results.set(id, error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.save(workflow);
    return results;
  }

  /** One poll of one trigger. */
  async poll(nodeId: string, { mode = 'trigger' }: PollMode = {}): Promise<PollResult> {
    if (this.settings.scheduler === 'durable' && mode !== 'manual')
      this.load([this.activeTrigger(nodeId).node], 'update');
    const { activation } = this.activeTrigger(nodeId);
    return await this.run(nodeId, mode, mode === 'manual' ? 'manual' : activation, false);
  }

  /** A plain copy of the static data as a trigger finds it in its next poll: `{global, 'node:<name>'}`. */
  staticDataOf(nodeId: string): IDataObject {
    return this.withCursors(plain(this.activeTrigger(nodeId).workflow.staticData));
  }

  /** A plain copy of what n8n would find in its database after a crash at this moment. */
  get savedStaticData(): IDataObject {
    return this.withCursors(plain(this.saved));
  }

  /** Replaces the static data, in memory and in the database; durable cursors too. */
  set savedStaticData(value: IDataObject) {
    this.saved = plain(value);
    this.cursors.clear();
    if (this.settings.scheduler === 'durable') {
      for (const node of this.nodes) {
        const cursor = this.saved[keyOf(node)];
        if (isObject(cursor)) this.cursors.set(node.id, cursor);
      }
    }
    this.load(this.nodes, 'activate');
  }

  private activeTrigger(nodeId: string): ActiveTrigger {
    const trigger = this.active.get(nodeId);
    if (trigger === undefined) throw new UnexpectedError(`The trigger ${nodeId} is not active`);
    return trigger;
  }

  /** Gives triggers a workflow from the database: one for all of them, as n8n does when it activates several at once. */
  private load(nodes: INode[], activation: WorkflowActivateMode): Workflow {
    const over = { id: this.id, active: true, staticData: structuredClone(this.saved) };
    const workflow = workflowOf(this.nodeType, structuredClone(this.nodes), over);
    for (const node of nodes)
      this.active.set(node.id, { workflow, node: structuredClone(node), activation, context: undefined });
    return workflow;
  }

  private async run(
    nodeId: string,
    mode: WorkflowExecuteMode,
    activation: WorkflowActivateMode,
    isActivation: boolean,
  ): Promise<PollResult> {
    const trigger = this.activeTrigger(nodeId);
    const { workflow } = trigger;
    const { scheduler, pollBudgetMs } = this.settings;
    const additionalData = additionalDataWith(this.credentialsHelper, { workflowId: workflow.id });
    const node = workflow.getNode(trigger.node.name);
    const { poll } = this.nodeType;
    if (node === null || poll === undefined) throw new UnexpectedError('The node under test does not poll');

    const isManual = mode === 'manual';
    const isDurable = scheduler === 'durable' && !isManual;
    if (isDurable && !this.cursors.has(nodeId)) this.cursors.set(nodeId, plain(workflow.getStaticData('node', node)));
    const staged = structuredClone(this.cursors.get(nodeId) ?? plain(workflow.getStaticData('node', node)));
    const canKeep = !isDurable && !isManual;
    const context =
      (canKeep && !isActivation ? trigger.context : undefined) ??
      new PollContext(
        workflow,
        node,
        additionalData,
        mode,
        activation,
        undefined,
        (error) => this.reported.push({ nodeId, error }),
        undefined,
        undefined,
        isDurable ? () => staged : undefined,
        pollBudgetMs === undefined ? undefined : () => pollBudgetMs,
      );
    if (canKeep) trigger.context = context;
    record(context.logger);

    const result = await workflow.expression.withIsolate(async () => await poll.call(context));
    if (!isManual) {
      if (isDurable && (result !== null || !isActivation)) this.cursors.set(nodeId, plain(staged));
      if (result !== null) this.save(workflow);
    }
    if (result === null || node.onError !== 'continueErrorOutput') return result;
    // Items with an error move to the error output by n8n's own rule.
    const outputs = structuredClone(result);
    const engine = new WorkflowExecute(additionalData, mode);
    engine.handleNodeErrorOutput(workflow, { node, data: { main: result }, source: null }, outputs, 0);
    return outputs;
  }

  private save(workflow: Workflow): void {
    if (workflow.staticData.__dataChanged !== true) return;
    this.saved = plain(workflow.staticData);
    workflow.staticData.__dataChanged = false;
  }

  private withCursors(staticData: IDataObject): IDataObject {
    for (const node of this.nodes) {
      const cursor = this.cursors.get(node.id);
      // An empty cursor is a row in n8n's database all the same, but there is nothing to see.
      if (cursor !== undefined && Object.keys(cursor).length > 0) staticData[keyOf(node)] = structuredClone(cursor);
    }
    return staticData;
  }
}

/** One polling trigger of a workflow. */
export class Poller {
  readonly workflow: PollingWorkflow;
  readonly nodeId: string;

  constructor(workflow: PollingWorkflow, nodeId: string) {
    this.workflow = workflow;
    this.nodeId = nodeId;
  }

  /** Activates the workflow. Returns what the first poll of this trigger returned; throws what it threw: "not activated". */
  async activate(activation: WorkflowActivateMode = 'activate'): Promise<PollResult> {
    const result = (await this.workflow.activate(activation)).get(this.nodeId) ?? null;
    if (result instanceof Error) throw result;
    return result;
  }

  /** A scheduled poll, or the editor's test. */
  async poll(mode: PollMode = {}): Promise<PollResult> {
    return await this.workflow.poll(this.nodeId, mode);
  }

  /** Changes the node while the workflow is not active. */
  change(change: Partial<INode>): void {
    this.workflow.edit((nodes) => nodes.map((node) => (node.id === this.nodeId ? { ...node, ...change } : node)));
  }

  /** The static data of the whole workflow, as the next poll finds it. */
  get staticData(): IDataObject {
    return this.workflow.staticDataOf(this.nodeId);
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
    return this.workflow.reported.filter(({ nodeId }) => nodeId === this.nodeId).map(({ error }) => error);
  }

  /** A copy of the node. */
  get node(): INode {
    const node = this.workflow.currentNodes.find(({ id }) => id === this.nodeId);
    if (node === undefined) throw new UnexpectedError(`The workflow has no node ${this.nodeId}`);
    return node;
  }
}

function keyOf(node: INode): string {
  return `node:${node.name}`;
}

/** As the database stores it: JSON, without the observer that n8n puts around it. */
function plain(value: IDataObject): IDataObject {
  return JSON.parse(JSON.stringify(value)) as IDataObject;
}
