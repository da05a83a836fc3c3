/** Decides which of the stored states of a trigger holds, and stores the next one. */

import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../json';
import { ExpiringMap } from './expiringMap';
import type { PollSession } from './session';
import { packState, unpackState, type TriggerState } from './state';
import { nodeIdsOf } from './workflowNodes';

/** A state as it is stored. */
export interface StoredState extends IDataObject {
  nodeId: string;
  /** The node's name when it was written. */
  name: string;
  /** Grows with every change. */
  revision: number;
  workspace: string;
  /** Whether the poll that wrote it emitted submissions. */
  hasEmitted: boolean;
  content: IDataObject;
  /** In the copy, when the poll emitted: the state that held, if it was not the node's own. */
  before?: StoredState;
}

/** The states of one trigger, by where they were found. */
export interface FoundStates {
  /** In the node's own static data. n8n files it under the node's name, with durable cursors under its ID. */
  own?: StoredState;
  /** Under the node's ID in the workflow's static data. */
  copy?: StoredState;
  /** What this process wrote last, if n8n has stored nothing since. */
  process?: StoredState;
}

/** What a poll begins with. */
export interface StateAtStart {
  /** The state that holds for this workspace; undefined when nothing is known of it. */
  state?: TriggerState;
  /** Whether the credential leads to another workspace than before, and this process cannot know since when. */
  isLost: boolean;
  /** Whether n8n is still storing what the last poll of this process emitted: then the poll waits for a later one. */
  isBeingStored: boolean;
  /** Whether no state of this node was found, of whatever workspace. */
  isFirst: boolean;
  /** Replaces the state unless it is the same. Synchronous: the last act of a successful poll, with whether it emits submissions. */
  save: (state: TriggerState, hasEmitted: boolean) => void;
}

/** What a process remembers of the state that it wrote last. */
interface Written {
  state: StoredState;
  /** The latest revision that n8n had stored then. */
  storedRevision: number;
  /** Aborts when n8n has had the time to store it. */
  timeToStore: AbortSignal;
}

const KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

/** ms that this process keeps what it wrote: longer than a week between two polls. */
const WRITTEN_MS = 8 * 24 * 60 * 60_000;

/**
 * ms that n8n may take to store what a poll emitted: 12 s were measured while n8n started on a busy computer. With durable cursors a
 * poll may begin meanwhile with the state before, and n8n stores both. After this time, what could not be stored comes again.
 */
const STORING_MS = 5 * 60_000;

const writtenBy = new ExpiringMap<Written>();

/**
 * A state written by a poll that emitted nothing is good wherever it is found; one written by a poll that emitted is good only where n8n
 * stored it together with what was emitted, or from where nothing else is left. The newest good one wins.
 *
 * @param name the node's present name
 * @param isExecuting whether n8n executes what the last poll of this process emitted, in any case
 */
export function chooseState(
  { own, copy, process }: FoundStates,
  name: string,
  isExecuting: boolean,
): StoredState | undefined {
  // After a rename, n8n does not find the node's own state, or what the node left behind under this name. The copy was stored with it.
  const isRenamed = copy !== undefined && copy.name !== name && (own === undefined || own.name === name);
  const isCopyGood = copy?.hasEmitted === false || isRenamed;
  const isProcessGood = isExecuting || process?.hasEmitted === false;
  return newest([own, isProcessGood ? process : undefined, isCopyGood ? copy : copy?.before]) ?? copy;
}

/**
 * Finds the state of a trigger.
 *
 * @param isExecuting whether n8n executes what the last poll of this process emitted, in any case
 * @returns what a poll begins with
 */
export function loadState(session: PollSession, isExecuting: boolean): StateAtStart {
  const { context, node, key, clock, workspace } = session;
  const own = stateIn(context.getWorkflowStaticData('node')[KEY], node.id);
  const copy = stateIn(context.getWorkflowStaticData('global')[COPY_KEY + node.id], node.id);
  const last = writtenBy.get(key, clock.now());
  const storedRevision = newest([own, copy])?.revision ?? 0;
  const isStoredSince = last !== undefined && storedRevision > last.storedRevision;
  const process = isStoredSince ? undefined : last?.state;
  const held = chooseState({ own, copy, process }, node.name, isExecuting);
  const isHere = held?.workspace === hostOf(workspace);
  const isMissing = last?.state.hasEmitted === true && (held?.revision ?? 0) < last.state.revision;
  return {
    state: held !== undefined && isHere ? unpackState(held.content) : undefined,
    isLost: held !== undefined && !isHere && last === undefined,
    isBeingStored: isMissing && !last.timeToStore.aborted,
    isFirst: held === undefined,
    save: (next, hasEmitted) => {
      const now = { nodeId: node.id, name: node.name, workspace: hostOf(workspace), content: packState(next) };
      if (held !== undefined && held === own && isSame(held, now)) return;
      const revision = Math.max(storedRevision, last?.state.revision ?? 0) + 1;
      // If n8n does not store what is emitted, and has not kept what holds as the node's own, the copy has it.
      const before = hasEmitted && held !== own ? held : undefined;
      const written: StoredState = { ...now, revision, hasEmitted };
      store(session, written, before);
      const timeToStore = clock.timeout(STORING_MS);
      writtenBy.set(key, { state: written, storedRevision, timeToStore }, clock.now(), WRITTEN_MS);
    },
  };
}

/** Writes a state to both places. @param before what the copy keeps beside it */
function store({ context, node }: PollSession, next: StoredState, before: StoredState | undefined): void {
  context.getWorkflowStaticData('node')[KEY] = next;
  const copies = context.getWorkflowStaticData('global');
  copies[COPY_KEY + node.id] = { ...next, before: before && { ...before, before: undefined } };
  // Nodes that were deleted leave their copies behind.
  const nodeIds = nodeIdsOf(context);
  for (const other of Object.keys(copies))
    if (other.startsWith(COPY_KEY) && nodeIds?.has(other.slice(COPY_KEY.length)) === false)
      Reflect.deleteProperty(copies, other);
}

/** The state with the highest revision, the first of several. */
function newest(states: Array<StoredState | undefined>): StoredState | undefined {
  const [first] = states.filter((state) => state !== undefined).toSorted((a, b) => b.revision - a.revision);
  return first;
}

/** The stored state of a node ID; that of another node is not used. */
function stateIn(stored: unknown, nodeId: string): StoredState | undefined {
  return isStoredState(stored) && stored.nodeId === nodeId ? stored : undefined;
}

function isStoredState(stored: unknown): stored is StoredState {
  if (!isRecord(stored)) return false;
  const { nodeId, name, workspace, revision, hasEmitted, content } = stored;
  return (
    [nodeId, name, workspace].every((text) => typeof text === 'string') &&
    typeof revision === 'number' &&
    typeof hasEmitted === 'boolean' &&
    isRecord(content)
  );
}

/** Whether a stored state says the same: then nothing is written. */
function isSame({ name, workspace, content }: StoredState, now: Pick<StoredState, 'name' | 'workspace' | 'content'>) {
  return JSON.stringify([name, workspace, content]) === JSON.stringify([now.name, now.workspace, now.content]);
}

function hostOf(workspace: string): string {
  return new URL(workspace).host;
}
