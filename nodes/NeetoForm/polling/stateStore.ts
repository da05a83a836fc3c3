import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { isRecord } from '../json';
import { packState, unpackState, type TriggerState } from './triggerState';

/** A state as it is stored. */
interface StoredState extends IDataObject {
  nodeId: string;
  /** The node's name when it was written. */
  name: string;
  /** Grows with every change; compares within one node ID only. */
  revision: number;
  workspace: string;
  /** Whether the poll that wrote it emitted submissions. */
  hasEmitted: boolean;
}

const NODE_KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

/**
 * The state of one trigger: in the node's static data, with a copy under the node's ID in the workflow's. n8n keys the former by the
 * node's name, so a renamed node loses it and may find another node's; and with durable cursors, n8n drops what an activation that
 * emits nothing leaves there. The copy in turn is stored before the execution that it belongs to, so it may know of submissions
 * that were never executed when n8n stops in between.
 */
export class StateStore {
  private readonly own: StoredState | undefined;

  private readonly copy: StoredState | undefined;

  private readonly current: StoredState | undefined;

  private readonly nodeData: IDataObject;

  private readonly workflowData: IDataObject;

  private readonly node: { id: string; name: string };

  private readonly workspace: string;

  constructor(context: Pick<IPollFunctions, 'getNode' | 'getWorkflowStaticData'>, workspace: string) {
    this.workspace = new URL(workspace).host;
    this.node = context.getNode();
    this.nodeData = context.getWorkflowStaticData('node');
    this.workflowData = context.getWorkflowStaticData('global');
    this.own = stateIn(this.nodeData[NODE_KEY], this.node.id);
    this.copy = stateIn(this.workflowData[this.copyKey], this.node.id);
    this.current = choose(this.own, this.copy, this.node.name);
  }

  /** The revision of the state that `load` returns, 0 when there is none. */
  get revision(): number {
    return this.current?.revision ?? 0;
  }

  /** @returns undefined when nothing is known of this workspace */
  load(): TriggerState | undefined {
    return this.current?.workspace === this.workspace ? unpackState(this.current) : undefined;
  }

  /**
   * Replaces the state if it changed. Synchronous: the last act of a successful poll.
   *
   * @param hasEmitted whether the poll emits submissions
   * @returns the revision of the state
   */
  save(state: TriggerState, hasEmitted: boolean): number {
    const { id: nodeId, name } = this.node;
    const packed = { nodeId, name, workspace: this.workspace, ...packState(state) };
    const last = this.current;
    if (last !== undefined && isSame(contentOf(last), packed)) return last.revision;
    const revision = Math.max(this.own?.revision ?? 0, this.copy?.revision ?? 0) + 1;
    const next = { ...packed, revision, hasEmitted };
    // As long as n8n has not kept the state in force as the node's own, the copy holds what to fall back on.
    const previous =
      last !== undefined && last !== this.own && hasEmitted ? { previous: without(last, ['previous']) } : {};
    this.nodeData[NODE_KEY] = next;
    this.workflowData[this.copyKey] = { ...next, ...previous };
    return revision;
  }

  private get copyKey(): string {
    return COPY_KEY + this.node.id;
  }
}

/** Which of the two holds: the node's own, unless n8n lost it or kept an older one than the copy, or one under an earlier name. */
function choose(own: StoredState | undefined, copy: StoredState | undefined, name: string): StoredState | undefined {
  if (copy === undefined) return own;
  const wasRenamed = copy.name !== name && (own?.name ?? name) === name;
  // What was emitted is known to be executed when the node's own state says so too.
  const settled = copy.hasEmitted && !wasRenamed ? stateIn(copy.previous, copy.nodeId) : copy;
  if (own === undefined) return settled ?? copy;
  return settled !== undefined && settled.revision > own.revision ? settled : own;
}

/** The stored state of a node ID; that of another node is not used. */
function stateIn(stored: unknown, nodeId: string): StoredState | undefined {
  return isStoredState(stored) && stored.nodeId === nodeId ? stored : undefined;
}

function isStoredState(stored: unknown): stored is StoredState {
  if (!isRecord(stored)) return false;
  const { nodeId, name, revision, workspace, hasEmitted } = stored;
  const texts = [nodeId, name, workspace];
  return (
    texts.every((text) => typeof text === 'string') && typeof revision === 'number' && typeof hasEmitted === 'boolean'
  );
}

/** What a poll compares, to write only what changed: the state without what is new in every write. */
function contentOf(state: StoredState): IDataObject {
  return without(state, ['revision', 'hasEmitted', 'previous']);
}

function without(state: StoredState, keys: string[]): IDataObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !keys.includes(key)));
}

function isSame(one: IDataObject, other: IDataObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
