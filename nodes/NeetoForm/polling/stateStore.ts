/** Decides which of the stored states holds, and stores the next one. */

import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../json';
import { ExpiringMap } from './expiringMap';
import type { PollSession } from './session';
import { packState, unpackState, type TriggerState } from './state';

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
  /** ms on the local clock. */
  savedAt: number;
}

/** What this process wrote last. */
interface Written {
  state: StoredState;
  /** The newest revision that n8n had stored then. A later one now means that another process has stored something since. */
  storedRevision: number;
}

const NODE_KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

const DAY = 24 * 60 * 60_000;

/** ms after which the copy of a trigger that polls no more is removed. */
const COPY_MS = 90 * DAY;

/** ms that this process keeps what it wrote. */
const WRITTEN_MS = 8 * DAY;

/**
 * ms that n8n may take to store what a poll emitted: 12 s were measured while n8n started on a busy computer. With durable cursors a
 * poll may begin meanwhile with the state before, and n8n stores both. After this time, what could not be stored comes again.
 */
const STORING_MS = 5 * 60_000;

const written = new ExpiringMap<Written>();

/**
 * The state of one trigger. It is written to three places: the node's own static data; a copy under the node's ID in the workflow's
 * static data; and this process. Which one holds, one sentence tells:
 *
 * **A state written by a poll that emitted nothing is good wherever it is found; one written by a poll that emitted is good only where
 * n8n stored it together with what was emitted, or from where nothing else is left. The newest good one wins.**
 *
 * | what happened | own | copy | process | holds |
 * |---|---|---|---|---|
 * | in memory, or durable cursors, as usual | 7 | 7 | 7 | 7 |
 * | durable cursors: n8n drops what an activation without items wrote | – | 1 | 1 | 1 |
 * | durable cursors: n8n died before it stored what poll 2 emitted | 1 | 2, emitted | – | 1, so that they are emitted again |
 * | the same after the first row but one | – | 2, emitted, over 1 | – | 1 |
 * | durable cursors: n8n still stores what poll 2 emitted | 1 | 2, emitted | 2, emitted | the poll waits: `isBeingStored` |
 * | scheduler without cursors: nothing is stored after polls without items | 3 | 3 | 9 | 9 |
 * | the same after a restart | 3 | 3 | – | 3 |
 * | another process stored 4 since | 4 | 4 | 9, written over 3 | 4 |
 * | the node was renamed, n8n lost its own data | – | 5, emitted, other name | – | 5 |
 */
export class StateStore {
  /** The state that holds for this workspace; undefined when nothing is known of it. */
  readonly state: TriggerState | undefined;

  /** Whether any state of this node was found, of whatever workspace. */
  readonly isKnown: boolean;

  private readonly own: StoredState | undefined;

  private readonly copy: StoredState | undefined;

  private readonly held: StoredState | undefined;

  /** What this process wrote last, and the same unless a later state was stored since. */
  private readonly last: Written | undefined;

  private readonly process: Written | undefined;

  private readonly nodeData: IDataObject;

  private readonly workflowData: IDataObject;

  private readonly session: StoreSession;

  private readonly host: string;

  constructor(session: StoreSession) {
    const { context, node, key, clock, workspace } = session;
    this.session = session;
    this.host = new URL(workspace).host;
    this.nodeData = context.getWorkflowStaticData('node');
    this.workflowData = context.getWorkflowStaticData('global');
    this.own = stateIn(this.nodeData[NODE_KEY], node.id);
    this.copy = stateIn(this.workflowData[COPY_KEY + node.id], node.id);
    this.last = written.get(key, clock.now());
    this.process = (this.last?.storedRevision ?? -1) >= this.storedRevision ? this.last : undefined;
    this.held = this.choose();
    this.isKnown = this.held !== undefined;
    this.state = this.held?.workspace === this.host ? unpackState(this.held) : undefined;
  }

  /** Whether n8n is still storing what the last poll of this process emitted. */
  get isBeingStored(): boolean {
    const { last, held, session } = this;
    const isMissing = last?.state.hasEmitted === true && (held?.revision ?? 0) < last.state.revision;
    const elapsed = session.clock.now() - (last?.state.savedAt ?? 0);
    return isMissing && elapsed >= 0 && elapsed < STORING_MS;
  }

  /** Whether the credential leads to another workspace than before, and this process cannot know since when. */
  get isLost(): boolean {
    return this.isKnown && this.state === undefined && this.last === undefined;
  }

  /**
   * Replaces the node's own state unless it is the same. Synchronous: the last act of a successful poll.
   *
   * @param hasEmitted whether the poll emits submissions
   */
  save(state: TriggerState, hasEmitted: boolean): void {
    const { node, key, clock } = this.session;
    const { held } = this;
    const content = { nodeId: node.id, name: node.name, workspace: this.host, ...packState(state) };
    if (held !== undefined && held === this.own && isSame(held, content)) return;
    const revision = Math.max(this.storedRevision, this.last?.state.revision ?? 0) + 1;
    const next: StoredState = { ...content, revision, hasEmitted, savedAt: clock.now() };
    // As long as n8n has not kept the state that holds as the node's own, the copy has what to fall back on.
    const needsFallback = hasEmitted && held !== undefined && held !== this.own;
    this.nodeData[NODE_KEY] = next;
    this.workflowData[COPY_KEY + node.id] = needsFallback ? { ...next, before: without(held, ['before']) } : next;
    written.set(key, { state: next, storedRevision: this.storedRevision }, clock.now(), WRITTEN_MS);
    this.removeOldCopies();
  }

  private get storedRevision(): number {
    return Math.max(this.own?.revision ?? 0, this.copy?.revision ?? 0);
  }

  private choose(): StoredState | undefined {
    const { own, copy, process } = this;
    // What was emitted under another name was stored before the node was renamed; n8n has lost the node's own data then.
    const isRenamed = copy !== undefined && copy.name !== this.session.node.name && own?.name !== copy.name;
    const isCopyGood = copy?.hasEmitted !== true || isRenamed;
    const before = isCopyGood ? undefined : stateIn(copy.before, copy.nodeId);
    const isProcessGood = process?.state.hasEmitted !== true;
    return newest([own, isCopyGood ? copy : before, isProcessGood ? process?.state : undefined]) ?? copy;
  }

  /** Copies of triggers that were deleted stay behind. */
  private removeOldCopies(): void {
    const now = this.session.clock.now();
    for (const [key, copy] of Object.entries(this.workflowData)) {
      if (!key.startsWith(COPY_KEY) || (isRecord(copy) && Number(copy.savedAt) > now - COPY_MS)) continue;
      Reflect.deleteProperty(this.workflowData, key);
    }
  }
}

/** What storing needs of a session. */
export interface StoreSession extends Pick<PollSession, 'node' | 'key' | 'clock' | 'workspace'> {
  context: Pick<PollSession['context'], 'getWorkflowStaticData'>;
}

/** The state with the highest revision, the first of several. */
function newest(states: Array<StoredState | undefined>): StoredState | undefined {
  return states
    .filter((state) => state !== undefined)
    .reduce<StoredState | undefined>(
      (best, state) => (best && best.revision >= state.revision ? best : state),
      undefined,
    );
}

/** The stored state of a node ID; that of another node is not used. */
function stateIn(stored: unknown, nodeId: string): StoredState | undefined {
  return isStoredState(stored) && stored.nodeId === nodeId ? stored : undefined;
}

function isStoredState(stored: unknown): stored is StoredState {
  if (!isRecord(stored)) return false;
  const { nodeId, name, workspace, revision, savedAt, hasEmitted } = stored;
  return (
    [nodeId, name, workspace].every((text) => typeof text === 'string') &&
    [revision, savedAt].every((number) => typeof number === 'number') &&
    typeof hasEmitted === 'boolean'
  );
}

/** Whether a stored state has this content: then nothing is written. */
function isSame(stored: StoredState, content: IDataObject): boolean {
  return JSON.stringify(without(stored, ['revision', 'hasEmitted', 'savedAt', 'before'])) === JSON.stringify(content);
}

function without(state: StoredState, keys: string[]): IDataObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !keys.includes(key)));
}
