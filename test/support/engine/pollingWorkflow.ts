import { isDeepStrictEqual } from 'node:util';

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
  /** What was published. Undefined if the trigger was not activated, or its first poll failed. */
  published: INode | undefined;
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
 * A workflow that is published again leaves its unchanged triggers alone: no first poll, and the same context as before (n8n 2.40 and later).
 *
 * If the workflow is unpublished during a scheduled poll, n8n stores and executes nothing of it. If it is also published again, or the trigger
 * is changed and published, n8n's own timers do the same; the scheduler stores and executes everything; and durable cursors are not stored, but
 * static data is.
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
  private isActive = true;
  /** Errors that the nodes reported as failed executions. */
  readonly reported: Error[] = [];

  constructor(nodeType: INodeType, nodes: INode[], credentialsHelper: CredentialsInMemory, scheduler: Scheduler) {
    this.nodeType = nodeType;
    this.nodes = structuredClone(nodes);
    this.credentialsHelper = credentialsHelper;
    this.scheduler = scheduler;
    this.load('activate', this.names);
  }

  /** Starts a new process of n8n, with the same database, and nothing in its memory. */
  restart(): void {
    this.id = newId();
    this.load('activate', this.names);
  }

  private get names(): string[] {
    return this.nodes.map(({ name }) => name);
  }

  /** A copy of a trigger. Default, here and below: the first one. */
  nodeOf(nodeId = this.nodes[0]?.id): INode {
    const found = this.nodes.find(({ id }) => id === nodeId);
    if (found === undefined) throw new UnexpectedError(`The workflow has no node ${nodeId}`);
    return structuredClone(found);
  }

  unpublish(): void {
    this.isActive = false;
    for (const trigger of this.active.values()) trigger.published = undefined;
  }

  /**
   * Changes the nodes. Follow it with `activate('update')`: until then, n8n's own timers go on with what was published. (Polls of the scheduler
   * find the change at once, like that of an expression's value.)
   */
  edit(change: (nodes: INode[]) => INode[]): void {
    this.nodes = structuredClone(change(structuredClone(this.nodes)));
  }

  /** Changes the first trigger. */
  change(change: Partial<INode>): void {
    this.edit((nodes) => nodes.map((node, index) => (index === 0 ? { ...node, ...change } : node)));
  }

  /** Publishes the workflow, or starts n8n. @returns what the first poll of the first trigger returned @throws what it threw: "not activated" */
  async activate(activation?: WorkflowActivateMode): Promise<PollResult> {
    const result = (await this.activateAll(activation)).get(this.nodeOf().name) ?? null;
    if (result instanceof Error) throw result;
    return result;
  }

  /** Publishes the workflow, or starts n8n. @returns what the first polls returned or threw, by the name of the node; null if there was none */
  async activateAll(activation: WorkflowActivateMode = 'activate'): Promise<Map<string, PollResult | Error>> {
    const isRepublished = activation === 'update' && this.isActive;
    this.isActive = true;
    const results = new Map<string, PollResult | Error>();
    const unchanged = isRepublished ? this.nodes.filter((node) => this.isUnchanged(node)) : [];
    for (const { name } of unchanged) results.set(name, null);
    const started = this.nodes.filter((node) => !unchanged.includes(node));
    for (const name of this.active.keys()) if (!results.has(name)) this.active.delete(name);
    if (started.length === 0) return results;
    // What was unpublished is published for the first time.
    const mode = activation === 'update' && !isRepublished ? 'activate' : activation;
    const names = started.map(({ name }) => name);
    const workflow = this.load(mode, names);
    for (const node of started) {
      const trigger = this.activeTrigger(node.name);
      trigger.published = structuredClone(node);
      try {
        results.set(node.name, await this.run(trigger, node.name, true));
      } catch (error) {
        trigger.published = undefined;
        results.set(node.name, error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.database.save(workflow);
    return results;
  }

  private isUnchanged(node: INode): boolean {
    const published = this.active.get(node.name)?.published;
    const compared = ({ id, name, type, typeVersion, webhookId, credentials, parameters }: INode) => {
      return { id, name, type, typeVersion, webhookId, credentials, parameters };
    };
    return published !== undefined && isDeepStrictEqual(compared(published), compared(node));
  }

  async poll(polling: PollMode = {}, { name } = this.nodeOf()): Promise<PollResult> {
    if (polling.mode === 'manual') {
      const inEditor = {
        workflow: this.newWorkflow(),
        activation: polling.mode,
        context: undefined,
        published: undefined,
      };
      return await this.run(inEditor, name, false, polling);
    }
    if (this.startsFromDatabase || !this.active.has(name)) this.load('update', [name]);
    return await this.run(this.activeTrigger(name), name, false, polling);
  }

  /** Whether n8n starts each scheduled poll from its database. */
  get startsFromDatabase(): boolean {
    return this.scheduler !== 'memory';
  }

  /** The static data that a trigger finds in its next poll: `{global, 'node:<name>'}`. */
  staticDataOf({ name } = this.nodeOf()): IDataObject {
    if (this.startsFromDatabase) return this.database.withCursors(this.nodes);
    return plain(this.active.get(name)?.workflow.staticData ?? this.database.staticData);
  }

  private activeTrigger(name: string): ActiveTrigger {
    const trigger = this.active.get(name);
    if (trigger === undefined) throw new UnexpectedError(`The trigger ${name} is not active`);
    return trigger;
  }

  /** Gives triggers one workflow from the database, as n8n does when it activates several at once. */
  private load(activation: WorkflowActivateMode, names: string[]): Workflow {
    const workflow = this.newWorkflow();
    for (const name of names) {
      const published = this.active.get(name)?.published;
      this.active.set(name, { workflow, activation, context: undefined, published });
    }
    return workflow;
  }

  private newWorkflow(): Workflow {
    const over = { id: this.id, active: true, staticData: this.database.staticData };
    return workflowOf(this.nodeType, structuredClone(this.nodes), over);
  }

  private async run(
    trigger: ActiveTrigger,
    name: string,
    isActivation: boolean,
    polling: PollMode = {},
  ): Promise<PollResult> {
    const { mode = 'trigger' } = polling;
    const { workflow, published } = trigger;
    const node = workflow.getNode(name);
    const { poll } = this.nodeType;
    if (node === null || poll === undefined) throw new UnexpectedError('The node under test does not poll');
    const isDurable = this.scheduler === 'durable' && mode !== 'manual';
    const cursor = isDurable ? this.database.cursorOf(node, workflow.getStaticData('node', node)) : undefined;
    const context = this.contextFor(trigger, node, mode, isActivation, cursor);
    const result = await workflow.expression.withIsolate(async () => await poll.call(context));
    // n8n stores nothing of a manual poll.
    if (mode === 'manual') return this.toOutputs(result, node, mode, workflow);
    if (!isActivation && this.isDiscarded(name, published)) return null;
    if (result !== null) await polling.beforeStoring?.();
    const isDropped = isDurable && !isActivation && !this.isCurrent(name, published);
    const stored = isDropped ? 'workflow' : (polling.stored ?? 'all');
    const hasCursor = cursor !== undefined && (result !== null || !isActivation);
    if (hasCursor && (stored === 'all' || stored === 'execution')) this.database.saveCursor(node, cursor);
    if (result !== null && (stored === 'all' || stored === 'workflow')) this.database.save(workflow);
    return isDropped ? null : this.toOutputs(result, node, mode, workflow);
  }

  /** Whether n8n discards what a scheduled poll returned. @param published what was published when the poll began */
  private isDiscarded(name: string, published: INode | undefined): boolean {
    return this.startsFromDatabase ? !this.isActive : !this.isCurrent(name, published);
  }

  private isCurrent(name: string, published: INode | undefined): boolean {
    return this.isActive && this.active.get(name)?.published === published;
  }

  /** n8n's own timers keep one context from the activation on; its scheduler makes a new one for each poll. */
  private contextFor(
    trigger: ActiveTrigger,
    node: INode,
    mode: PollTrigger,
    isActivation: boolean,
    cursor?: IDataObject,
  ): PollContext {
    const isKept = !this.startsFromDatabase && mode !== 'manual';
    if (isKept && !isActivation && trigger.context !== undefined) return trigger.context;
    const context = new PollContext(
      trigger.workflow,
      node,
      additionalDataWith(this.credentialsHelper, { workflowId: this.id }),
      mode,
      trigger.activation,
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
  private toOutputs(result: PollResult, node: INode, mode: PollTrigger, workflow: Workflow): PollResult {
    if (result === null || node.onError !== 'continueErrorOutput') return result;
    const outputs = structuredClone(result);
    const engine = new WorkflowExecute(additionalDataWith(this.credentialsHelper), mode);
    engine.handleNodeErrorOutput(workflow, { node, data: { main: result }, source: null }, outputs, 0);
    return outputs;
  }
}
