/** Reads and writes the state of a trigger where n8n keeps it: as the node's own data, and as a copy in the data of the workflow. */

import { deepCopy } from 'n8n-workflow';
import { isRecord } from '../json';
import type { TriggerState } from './cursor';
import { chooseState, storedRevisionOf, type StoredState } from './heldState';
import type { PollSession } from './session';

const KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

/** ms that n8n may take to store what a poll emitted. After this time, what could not be stored comes again. */
const STORING_MS = 5 * 60_000;

/** ms after which a copy is removed that was not written again. A trigger in use writes its copy again after half that time. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/** What is known of a trigger when a poll begins. */
export type StateAtStart = ReturnType<typeof loadState>;

/**
 * Finds the state of a trigger.
 *
 * @param isExecuted whether n8n executes what the last poll of this process emitted, even if the database does not tell
 */
export function loadState({ context, node, workspace, memory }: PollSession, isExecuted: boolean) {
  const { written } = memory;
  const own = storedIn(context.getWorkflowStaticData('node')[KEY], node.id);
  const copy = storedIn(context.getWorkflowStaticData('global')[COPY_KEY + node.id], node.id);
  const held = chooseState({ own, copy, written, nodeName: node.name, isExecuted });
  const isHere = held?.workspace === new URL(workspace).host;
  const isMissing = written?.hasEmitted === true && (held?.revision ?? 0) < written.revision;
  return {
    /** The state that holds; undefined when nothing is known of this workspace. */
    state: isHere ? deepCopy(held.content) : undefined,
    /** Whether no state of this node was found, of whatever workspace. */
    isFirst: held === undefined,
    isElsewhere: held !== undefined && !isHere,
    /** Whether n8n is still storing what the last poll of this process emitted: then polling is left to a later poll. */
    isBeingStored: isMissing && !written.timeToStore.aborted,
    /** What `saveState` needs: the state that holds as it was found, the node's own, and the latest revision that n8n has stored. */
    found: { held, own, storedRevision: storedRevisionOf({ own, copy }) },
  };
}

/**
 * Stores what a poll leaves, unless it is what the node's own data already says. Synchronous: the last act of a successful poll.
 *
 * @param hasEmitted whether the poll emits submissions
 */
export function saveState(
  session: PollSession,
  { found }: StateAtStart,
  content: TriggerState,
  hasEmitted: boolean,
): void {
  const { context, node, workspace, memory, clock } = session;
  const { held, own, storedRevision } = found;
  const time = clock.now();
  const next = { nodeId: node.id, name: node.name, workspace: new URL(workspace).host, content };
  const isOld = time - (held?.time ?? 0) >= UNUSED_MS / 2;
  // Most polls find nothing new: n8n need not write to its database each time.
  if (!isOld && held === own && JSON.stringify({ ...held, ...next }) === JSON.stringify(held)) return;
  const revision = Math.max(storedRevision, memory.written?.revision ?? 0) + 1;
  const stored: StoredState = { ...next, revision, hasEmitted, time };
  context.getWorkflowStaticData('node')[KEY] = stored;
  // If n8n dies before it has stored the items, the state before holds again. Where that was not the node's own, only the copy has it.
  const before = hasEmitted && held !== undefined && held !== own ? { ...held, before: undefined } : undefined;
  const copies = context.getWorkflowStaticData('global');
  copies[COPY_KEY + node.id] = { ...stored, before };
  // Old copies are removed by their age, not because their node is missing: it may come back from the workflow's history.
  for (const [key, copy] of Object.entries(copies))
    if (key.startsWith(COPY_KEY) && isRecord(copy) && time - Number(copy.time) > UNUSED_MS)
      Reflect.deleteProperty(copies, key);
  memory.written = { ...stored, storedRevision, timeToStore: clock.timeout(STORING_MS) };
}

/** The stored state of a node ID; that of another node is not used. */
function storedIn(value: unknown, nodeId: string): StoredState | undefined {
  return isStoredState(value) && value.nodeId === nodeId ? value : undefined;
}

function isStoredState(value: unknown): value is StoredState {
  return isRecord(value) && isRecord(value.content);
}
