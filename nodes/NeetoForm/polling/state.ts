/** Which stored state of a trigger holds, and how the next one is stored. */

import { deepCopy } from 'n8n-workflow';
import { isRecord } from '../json';
import type { TriggerState } from './cursor';
import type { StoredState } from './memory';
import type { PollSession } from './session';

/** What a poll begins with. */
export type StateAtStart = ReturnType<typeof loadState>;

const KEY = 'state';
const COPY_KEY = 'neetoFormTrigger:';

/** ms that n8n may take to store what a poll emitted. After this time, what could not be stored comes again. */
const STORING_MS = 5 * 60_000;

/** ms after which a copy that was not used goes; one in use is written again in half of that time. */
const UNUSED_MS = 30 * 24 * 60 * 60_000;

/**
 * Finds the state of a trigger: the newest good one holds. What a poll wrote that emitted nothing is good wherever it is found. What a
 * poll wrote that emitted is good as the node's own, for n8n stores that with what was emitted; after a rename; and in this process, when
 * n8n executes in any case what it emitted. Of any other copy, the state that held before is good.
 *
 * @param isExecuted whether n8n executes what the last poll of this process emitted, although what it has stored does not tell
 */
export function loadState(session: PollSession, isExecuted: boolean) {
  const { context, node, clock, memory } = session;
  const workspace = new URL(session.workspace).host;
  const own = storedIn(context.getWorkflowStaticData('node')[KEY], node.id);
  const copies = context.getWorkflowStaticData('global');
  const copy = storedIn(copies[COPY_KEY + node.id], node.id);
  // After a rename, n8n does not find the node's own state, or finds what the node left behind under this name.
  const isRenamed = copy !== undefined && copy.name !== node.name && (own === undefined || own.name === node.name);
  const goodCopy = copy?.hasEmitted === false || isRenamed ? copy : copy?.before;
  const { written } = memory;
  const storedRevision = Math.max(own?.revision ?? 0, copy?.revision ?? 0);
  const isStoredSince = storedRevision > (written?.storedRevision ?? -1);
  const isLastGood = !isStoredSince && (isExecuted || written?.hasEmitted === false);
  const good = [own, isLastGood ? written : undefined, goodCopy].filter((each) => each !== undefined);
  // Where none is good, the copy is all that n8n has kept.
  const [held = copy] = good.sort((a, b) => b.revision - a.revision);
  const isMissing = written?.hasEmitted === true && (held?.revision ?? 0) < written.revision;
  return {
    /** The state that holds; undefined when nothing is known of this workspace. */
    state: held?.workspace === workspace ? deepCopy(held.content) : undefined,
    /** Whether no state of this node was found, of whatever workspace. */
    isFirst: held === undefined,
    isElsewhere: held !== undefined && held.workspace !== workspace,
    /** Whether n8n is still storing what the last poll of this process emitted: then polling is left to a later one. */
    isBeingStored: isMissing && !written.timeToStore.aborted,
    /** Replaces the state unless it is the same and not old. Synchronous: the last act of a successful poll. */
    save: (state: TriggerState, hasEmitted: boolean) => {
      const time = clock.now();
      const next = { nodeId: node.id, name: node.name, workspace, content: state };
      const isSame = held === own && JSON.stringify({ ...held, ...next }) === JSON.stringify(held);
      if (isSame && time - (held?.time ?? 0) < UNUSED_MS / 2) return;
      const revision = Math.max(storedRevision, written?.revision ?? 0) + 1;
      const stored: StoredState = { ...next, revision, hasEmitted, time };
      context.getWorkflowStaticData('node')[KEY] = stored;
      // When the node's own is not what held, durable cursors would lose the first batch of a process that dies before n8n has stored it.
      const before = hasEmitted && held !== undefined && held !== own ? { ...held, before: undefined } : undefined;
      copies[COPY_KEY + node.id] = { ...stored, before };
      for (const [key, other] of Object.entries(copies))
        if (key.startsWith(COPY_KEY) && isRecord(other) && time - Number(other.time) > UNUSED_MS)
          Reflect.deleteProperty(copies, key);
      memory.written = { ...stored, storedRevision, timeToStore: clock.timeout(STORING_MS) };
    },
  };
}

/** The stored state of a node ID; that of another node is not used. */
function storedIn(value: unknown, nodeId: string): StoredState | undefined {
  return isStoredState(value) && value.nodeId === nodeId ? value : undefined;
}

function isStoredState(value: unknown): value is StoredState {
  return isRecord(value) && isRecord(value.content);
}
