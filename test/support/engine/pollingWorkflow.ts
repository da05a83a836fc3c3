import { PollContext, WorkflowExecute } from 'n8n-core';
import { UnexpectedError } from 'n8n-workflow';
import type { IDataObject, INode, INodeExecutionData, INodeType, Workflow, WorkflowActivateMode } from 'n8n-workflow';

import { additionalDataWith } from './additionalData';
import type { CredentialsInMemory } from './credentials';
import { record } from './log';
import { plain, StateDatabase } from './stateDatabase';
import { workflowOf } from './workflow';

/** n8n's own timers (its default), its scheduler with durable cursors, or its scheduler without them. */
export type Scheduler = 'memory' | 'durable' | 'scheduler';

/** What a poll is made by: n8n's scheduler, or the editor's test. */
type PollTrigger = 'trigger' | 'manual';

export interface PollMode {
  /** Default: `trigger`. */
  mode?: PollTrigger;
  /** What is stored before n8n dies: the static data, or the execution with the items and with a durable cursor. Default: all. */
  stored?: 'all' | 'workflow' | 'execution' | 'nothing';
  /** Happens when the poll has returned items, and n8n has not stored them yet. */
  beforeStoring?: () => Promise<unknown>;
}

/** The items of a poll, by output; null when it found nothing. */
export type PollResult = INodeExecutionData[][] | null;

/** A trigger that n8n runs, with the version of the workflow it was published with. */
interface ActiveTrigger {
  workflow: Workflow;
  activation: WorkflowActivateMode;
  /** Without the durable scheduler n8n keeps one context from the activation on. */
  context: PollContext | undefined;
}

let workflows = 0;
const newId = () => `workflow-${++workflows}`;

/**
 * One workflow with any number of polling triggers, with n8n's rules for their static data.
 * - In memory: static data is filed under the node's *name*. An activation and a poll with items store it, a poll without items does not.
 *   What one trigger writes replaces the static data of all triggers.
 * - Durable: each poll starts from the database. A trigger's cursor is filed under the node's *ID*, and begins with the static data of its
 *   name. A poll stores it, unless it throws; an activation only with items.
 * - Scheduler without durable cursors: each poll starts from the database. Static data is stored as in memory, so what a scheduled poll
 *   without items wrote is gone in the next one.
 *
 * If the workflow is unpublished during a scheduled poll, n8n stores and executes nothing of it. If the workflow is also published again,
 * n8n's own timers do the same; the scheduler stores and executes everything; and durable cursors are not stored, but static data is.
 */
export class PollingWorkflow {
  private readonly nodeType: INodeType;
  private readonly credentialsHelper: CredentialsInMemory;
  private readonly scheduler: Scheduler;
  /** A trigger keeps its memory by this ID, so each simulated process of n8n has another one. */
  private id = newId();
  private nodes: INode[];
  /** By the name of the node: after an import, two nodes may have one ID. */
  private readonly active = new Map<string, ActiveTrigger>();
  private readonly database = new StateDatabase();
  /** Undefined while the workflow is not active. */
  private publication: symbol | undefined = Symbol('publication');
  /** Errors that the nodes reported as failed executions. */
  readonly reported: Error[] = [];

  constructor(nodeType: INodeType, nodes: INode[], credentialsHelper: CredentialsInMemory, scheduler: Scheduler) {
    this.nodeType = nodeType;
    this.nodes = structuredClone(nodes);
    this.credentialsHelper = credentialsHelper;
    this.scheduler = scheduler;
    this.load('activate');
  }

  /** Starts a new process of n8n, with the same database, and nothing in its memory. */
  restart(): void {
    this.id = newId();
    this.load('activate');
  }

  /** A copy of a trigger. Default, here and below: the first one. */
  nodeOf(nodeId = this.nodes[0]?.id): INode {
    const found = this.nodes.find(({ id }) => id === nodeId);
    if (found === undefined) throw new UnexpectedError(`The workflow has no node ${nodeId}`);
    return structuredClone(found);
  }

  unpublish(): void {
    this.publication = undefined;
  }

  /** Changes the nodes while the workflow is not active. Follow it with `activate()`. */
  edit(change: (nodes: INode[]) => INode[]): void {
    this.nodes = structuredClone(change(structuredClone(this.nodes)));
    this.active.clear();
    this.load('activate');
  }

  /** Changes the first trigger while the workflow is not active. */
  change(change: Partial<INode>): void {
    this.edit((nodes) => nodes.map((node, index) => (index === 0 ? { ...node, ...change } : node)));
  }

  /** Makes all triggers active. @returns what the first poll of the first one returned @throws what it threw: "not activated" */
  async activate(activation?: WorkflowActivateMode): Promise<PollResult> {
    const result = (await this.activateAll(activation)).get(this.nodeOf().name) ?? null;
    if (result instanceof Error) throw result;
    return result;
  }

  /** Makes all triggers active. @returns what the first polls returned or threw, by the name of the node */
  async activateAll(activation: WorkflowActivateMode = 'activate'): Promise<Map<string, PollResult | Error>> {
    const results = new Map<string, PollResult | Error>();
    this.publication = Symbol('publication');
    const workflow = this.load(activation);
    for (const { name } of this.nodes) {
      try {
        results.set(name, await this.run(name, true));
      } catch (error) {
        results.set(name, error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.database.save(workflow);
    return results;
  }

  async poll(polling: PollMode = {}, { name } = this.nodeOf()): Promise<PollResult> {
    if (this.startsFromDatabase && polling.mode !== 'manual') this.load('update', [name]);
    return await this.run(name, false, polling);
  }

  /** Whether n8n starts each scheduled poll from its database. */
  get startsFromDatabase(): boolean {
    return this.scheduler !== 'memory';
  }

  /** The static data that a trigger finds in its next poll: `{global, 'node:<name>'}`. */
  staticDataOf({ name } = this.nodeOf()): IDataObject {
    if (this.startsFromDatabase) return this.database.withCursors(this.nodes);
    return plain(this.activeTrigger(name).workflow.staticData);
  }

  private activeTrigger(name: string): ActiveTrigger {
    const trigger = this.active.get(name);
    if (trigger === undefined) throw new UnexpectedError(`The trigger ${name} is not active`);
    return trigger;
  }

  /** Gives triggers one workflow from the database, as n8n does when it activates several at once. */
  private load(activation: WorkflowActivateMode, names = this.nodes.map(({ name }) => name)): Workflow {
    const over = { id: this.id, active: true, staticData: this.database.staticData };
    const workflow = workflowOf(this.nodeType, structuredClone(this.nodes), over);
    for (const name of names) this.active.set(name, { workflow, activation, context: undefined });
    return workflow;
  }

  private async run(name: string, isActivation: boolean, polling: PollMode = {}): Promise<PollResult> {
    const { mode = 'trigger' } = polling;
    const { workflow } = this.activeTrigger(name);
    const node = workflow.getNode(name);
    const { poll } = this.nodeType;
    if (node === null || poll === undefined) throw new UnexpectedError('The node under test does not poll');
    const isDurable = this.scheduler === 'durable' && mode !== 'manual';
    const cursor = isDurable ? this.database.cursorOf(node, workflow.getStaticData('node', node)) : undefined;
    const context = this.contextFor(node, mode, isActivation, cursor);
    const { publication } = this;
    const result = await workflow.expression.withIsolate(async () => await poll.call(context));
    // n8n stores nothing of a manual poll.
    if (mode === 'manual') return this.toOutputs(result, node, mode);
    if (!isActivation && this.isDiscarded(publication)) return null;
    if (result !== null) await polling.beforeStoring?.();
    const isDropped = isDurable && !isActivation && this.publication !== publication;
    const stored = isDropped ? 'workflow' : (polling.stored ?? 'all');
    const hasCursor = cursor !== undefined && (result !== null || !isActivation);
    if (hasCursor && (stored === 'all' || stored === 'execution')) this.database.saveCursor(node, cursor);
    if (result !== null && (stored === 'all' || stored === 'workflow')) this.database.save(workflow);
    return isDropped ? null : this.toOutputs(result, node, mode);
  }

  /** Whether n8n discards what a scheduled poll returned. @param publication the one that was active when the poll began */
  private isDiscarded(publication: symbol | undefined): boolean {
    return this.publication === undefined || (!this.startsFromDatabase && this.publication !== publication);
  }

  /** n8n's own timers keep one context from the activation on; its scheduler makes a new one for each poll. */
  private contextFor(node: INode, mode: PollTrigger, isActivation: boolean, cursor?: IDataObject): PollContext {
    const trigger = this.activeTrigger(node.name);
    const isKept = !this.startsFromDatabase && mode !== 'manual';
    if (isKept && !isActivation && trigger.context !== undefined) return trigger.context;
    const context = new PollContext(
      trigger.workflow,
      node,
      additionalDataWith(this.credentialsHelper, { workflowId: this.id }),
      mode,
      mode === 'manual' ? mode : trigger.activation,
      undefined,
      (error) => this.reported.push(error),
      undefined,
      undefined,
      cursor && (() => cursor),
      // `getPollBudgetMs()`
      () => (this.startsFromDatabase && !isActivation ? 36_000 : 5 * 60_000),
    );
    if (isKept) trigger.context = context;
    record(context.logger);
    return context;
  }

  /** Moves items with an error to the error output by n8n's own rule. */
  private toOutputs(result: PollResult, node: INode, mode: PollTrigger): PollResult {
    if (result === null || node.onError !== 'continueErrorOutput') return result;
    const { workflow } = this.activeTrigger(node.name);
    const outputs = structuredClone(result);
    const engine = new WorkflowExecute(additionalDataWith(this.credentialsHelper), mode);
    engine.handleNodeErrorOutput(workflow, { node, data: { main: result }, source: null }, outputs, 0);
    return outputs;
  }
}
