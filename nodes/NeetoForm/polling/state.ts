/** Reads and writes the state of a trigger in n8n's static data. `chooseState.ts` explains where, and the three ways in which n8n keeps them. */

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { operationError } from '../api/nodeErrors';
import { isRecord, textOf } from '../json';
import type { TriggerState } from '../watching/cursor';
import { chooseState, foundRevisionOf, type StoredState, type Written } from './chooseState';
import type { Activation, PollSession } from './session';

const KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

/** How long n8n may take to store what a poll emitted. Meanwhile, other polls read nothing. If it is not stored then, the next one emits it again. */
const STORING_MS = 5 * 60_000;

/** How long a poll at a publication, or at n8n's start, waits for that. In general, n8n takes some milliseconds. */
const ACTIVATION_WAIT_MS = 5_000;

/** After this time, the copy of an unused trigger is removed. A trigger in use writes its copy again after half of it. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/** What is known when a poll begins. */
export interface Beginning {
  activation: Activation | undefined;
  /** A clone: a failing poll must change nothing. (n8n's `deepCopy` loses an ID `__proto__`.) Undefined when nothing is known of this workspace. */
  state: TriggerState | undefined;
  /** Whether no state of this node was found, of any workspace. */
  isFirst: boolean;
  /** Whether its state is one of another workspace. */
  isElsewhere: boolean;
  /** Whether n8n may still be storing what the last poll of this process emitted. */
  isBeingStored: boolean;
  /** The state from which the poll goes on, of any workspace. */
  chosen: StoredState | undefined;
  /** The state in the static data of the node. */
  own: StoredState | undefined;
  /** The latest revision in n8n's static data. */
  foundRevision: number;
}

/**
 * Finds the state of a trigger. If n8n is still storing what the last poll emitted, an activation waits for some seconds, and then goes on with what
 * is stored. A scheduled poll does not wait: it ends (`isSilent` in `poll.ts`).
 */
export async function loadState(session: PollSession, activation: Activation | undefined): Promise<Beginning> {
  let state = findState(session);
  if (activation === undefined) return { ...state, activation };
  for (let waited = 0; state.isBeingStored && waited < ACTIVATION_WAIT_MS; waited += 100) {
    await session.clock.sleep(100);
    state = findState(session);
  }
  return { ...state, activation, isBeingStored: false };
}

function findState({ context, node, workspace, memory }: PollSession): Omit<Beginning, 'activation'> {
  const { written } = memory;
  const own = storedIn(context.getWorkflowStaticData('node')[KEY], node.id);
  const copy = storedIn(context.getWorkflowStaticData('global')[COPY_KEY + node.id], node.id);
  const foundRevision = foundRevisionOf({ own, copy });
  const isExecuted = written !== undefined && areItemsExecuted(written, context, foundRevision);
  const chosen = chooseState({ own, copy, written, nodeName: node.name, isExecuted });
  const isHere = chosen?.workspace === new URL(workspace).host;
  // The last poll emitted, but an earlier state was chosen: n8n is not yet known to execute the items of the last poll.
  const isBehindLast = written?.state.hasEmitted === true && (chosen?.revision ?? 0) < written.state.revision;
  return {
    state: isHere ? jsonParse<TriggerState>(JSON.stringify(chosen.content)) : undefined,
    isFirst: chosen === undefined,
    isElsewhere: chosen !== undefined && !isHere,
    isBeingStored: isBehindLast && !written.timeToStore.aborted,
    chosen,
    own,
    foundRevision,
  };
}

/**
 * Whether n8n is known to execute the items of the last poll of this process: it has stored the workflow's static data as that poll left them.
 *
 * The static data are looked up in the context of that poll. In the present context, they may be older even if n8n has stored those: it stores all
 * static data of a workflow together, so another trigger that polled at the same time may have overwritten them.
 *
 * With durable cursors, the answer is no: own data is not among the workflow's static data.
 */
function areItemsExecuted({ state, context }: Written, present: IPollFunctions, foundRevision: number): boolean {
  const staticData = partOfWorkflow(context, 'staticData');
  const own = staticData[`node:${state.name}`];
  const isInWorkflow = isRecord(own) && storedIn(own[KEY], state.nodeId)?.revision === state.revision;
  // It may be there, but not stored yet. One proof that it is stored: the present poll finds it in another context, which n8n has read anew.
  const isFound = present !== context && foundRevision >= state.revision;
  // Another proof: n8n has taken back its mark that the static data have changed.
  const isMarkedAsStored = staticData.__dataChanged === false;
  return isInWorkflow && (isFound || isMarkedAsStored);
}

/**
 * Writes the state after a poll, synchronously. An unchanged state is not written again, to spare n8n's database, unless it is old, or was not found
 * as the node's own data.
 */
export function saveState(
  session: PollSession,
  beginning: Beginning,
  content: TriggerState,
  hasEmitted: boolean,
): void {
  const { context, node, workspace, memory, clock } = session;
  const { chosen, own, foundRevision } = beginning;
  const time = clock.now();
  const next = { nodeId: node.id, name: node.name, workspace: new URL(workspace).host, content };
  const isOld = time - (chosen?.time ?? 0) >= UNUSED_MS / 2;
  const isOwn = chosen === own;
  // The keys keep their order, so the two texts are equal if no value has changed.
  if (isOwn && !isOld && JSON.stringify({ ...chosen, ...next }) === JSON.stringify(chosen)) return;
  const revision = Math.max(foundRevision, memory.written?.state.revision ?? 0) + 1;
  const stored: StoredState = { ...next, revision, hasEmitted, time };
  context.getWorkflowStaticData('node')[KEY] = stored;
  // Of the states before, only the last one is kept.
  const before = hasEmitted && chosen !== undefined ? { ...chosen, before: undefined } : undefined;
  const copies = context.getWorkflowStaticData('global');
  copies[COPY_KEY + node.id] = { ...stored, before: isOwn ? undefined : before };
  // The copy of a node that is missing stays for a while: the node may come back from the workflow's history.
  for (const [key, copy] of Object.entries(copies))
    if (key.startsWith(COPY_KEY) && isRecord(copy) && time - Number(copy.time) > UNUSED_MS)
      Reflect.deleteProperty(copies, key);
  memory.written = { state: { ...stored, before }, foundRevision, context, timeToStore: clock.timeout(STORING_MS) };
}

/** Refuses two triggers with one node ID, as an import can leave them. @throws NodeOperationError */
export function requireOwnId(context: IPollFunctions): void {
  const { id, name, type } = context.getNode();
  const all = Object.values(partOfWorkflow(context, 'nodes')).filter(isRecord);
  const others = all.filter((node) => node.name !== name && node.disabled !== true);
  const twin = others.find((node) => node.id === id && node.type === type);
  if (twin !== undefined)
    throw operationError(
      context.getNode(),
      `Two triggers have the same node ID: '${name}' and '${textOf(twin.name)}'`,
      'What a trigger has delivered is remembered by its node ID. With one ID, each trigger would leave out what the other has delivered. Delete one of the two, add it again, and publish the workflow.',
    );
}

/** The workflow is a private part of n8n's context. @returns `{}` if it is not there */
function partOfWorkflow(context: IPollFunctions, part: 'nodes' | 'staticData'): IDataObject {
  const workflow: unknown = Reflect.get(context, 'workflow');
  const value = isRecord(workflow) ? workflow[part] : undefined;
  return isRecord(value) ? value : {};
}

function storedIn(value: unknown, nodeId: string): StoredState | undefined {
  const isState = (given: unknown): given is StoredState => isRecord(given) && isRecord(given.content);
  return isState(value) && value.nodeId === nodeId ? value : undefined;
}
