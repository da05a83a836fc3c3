/**
 * Chooses among the stored states of a trigger the one from which a poll goes on. Pure: no requests, no clock, nothing of n8n.
 *
 * n8n keeps what polls write in one of three ways:
 * - In memory, its default: the next poll finds what this one wrote. The database gets it only at a publication, and when a poll emitted
 *   items, a moment before n8n stores their execution. After a restart, what polls without items wrote is gone.
 * - With its scheduler, each poll begins with what the database has. What a poll without items wrote is gone in the next one.
 * - With its scheduler and durable cursors, the database gets the node's own data together with the execution of the items, or after a
 *   poll without items. But what an activation without items wrote as the node's own is gone.
 *
 * Therefore a poll writes its state twice, as the node's own data and as a copy in the data of the workflow, and its process remembers it.
 * n8n finds the node's own data by the node's name, with durable cursors by its ID. The copy is found by the ID.
 */

import type { IDataObject } from 'n8n-workflow';
import type { TriggerState } from './cursor';

/** A state as n8n stores it. */
export interface StoredState extends IDataObject {
  nodeId: string;
  /** The node's name when it was written. */
  name: string;
  /** The host of the workspace. */
  workspace: string;
  /** Grows with every change. */
  revision: number;
  /** ms on the local clock when it was written. */
  time: number;
  /** Whether the poll that wrote it emitted submissions. */
  hasEmitted: boolean;
  content: TriggerState;
  /** Only in a copy whose poll emitted: the state from which that poll went on, unless that was the node's own data. */
  before?: StoredState;
}

/** The state that this process wrote last, with the latest revision that n8n had stored then. */
export type WrittenState = StoredState & { storedRevision: number };

/** The states that a poll finds, and what decides which of them is good. */
export interface FoundStates {
  /** The node's own data. */
  own?: StoredState;
  /** The copy in the data of the workflow. */
  copy?: StoredState;
  written?: WrittenState;
  /** The node's name now. */
  nodeName: string;
  /** Whether n8n executes what the last poll of this process emitted, even if the database does not tell. */
  isExecuted: boolean;
}

type Place = 'own' | 'process' | 'copy' | 'before';

/**
 * Chooses the newest good state. A state is good when n8n certainly executes what its poll emitted, or the poll emitted nothing.
 *
 * Example: with durable cursors, a poll emits A. n8n dies when it has stored the workflow with the copy, but not the execution with the
 * node's own data. The copy says that A was delivered, which is not true, so the copy is not good. The older state in the node's own data
 * is chosen, and A is emitted again.
 *
 * @returns undefined when no state was found
 */
export function chooseState(found: FoundStates): StoredState | undefined {
  const { own, written, copy } = found;
  const candidates: Array<{ place: Place; state?: StoredState }> = [
    { place: 'own', state: own },
    { place: 'process', state: written },
    { place: 'copy', state: copy },
    { place: 'before', state: copy?.before },
  ];
  const good = candidates.flatMap(({ place, state }) => (state && isGood(place, state, found) ? [state] : []));
  // Sorting keeps the order of equal revisions: the node's own state comes first.
  const [newest] = good.sort((a, b) => b.revision - a.revision);
  // Where none is good, the copy is all that is known: without it, the trigger would start as if it were new.
  return newest ?? copy;
}

/** The latest revision that n8n has stored, or 0. */
export function storedRevisionOf({ own, copy }: Pick<FoundStates, 'own' | 'copy'>): number {
  return Math.max(own?.revision ?? 0, copy?.revision ?? 0);
}

function isGood(place: Place, state: StoredState, found: FoundStates): boolean {
  switch (place) {
    case 'own':
      // n8n itself stores the node's own data with the items that the poll emitted: with durable cursors at once, else just before them.
      return true;
    case 'process':
      // As long as n8n has stored nothing newer, this process knows more than the database: a state without items, which n8n may never
      // store, or, when an activation cannot wait for n8n to store them, one with items that n8n executes in any case.
      return !isStoredSince(found) && (!state.hasEmitted || found.isExecuted);
    case 'copy':
      // n8n may have stored the copy and not the items, unless there were none. But after a rename, it is all that n8n finds.
      return !state.hasEmitted || isRenamed(state, found);
    case 'before':
      // The poll that wrote the copy went on from this state, so it was good then. It is older than the copy, so it is chosen only where
      // the copy is not good.
      return true;
  }
}

/** Whether n8n has stored another state since this process wrote its last one. */
function isStoredSince(found: FoundStates): boolean {
  return storedRevisionOf(found) > (found.written?.storedRevision ?? -1);
}

/** Whether the node has been renamed since its copy was written, so that n8n does not find the node's own data that was written with it. */
function isRenamed(copy: StoredState, { own, nodeName }: FoundStates): boolean {
  if (copy.name === nodeName) return false;
  // Own data with the present name is not what was written with the copy: it is left over from an earlier time with this name. Own data
  // with another name is: with durable cursors, n8n finds it by the node's ID.
  return own === undefined || own.name === nodeName;
}
