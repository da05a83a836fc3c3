/**
 * Chooses the state from which a poll goes on, among those that n8n has stored and the one that this process remembers. Pure: no requests, no
 * clock, no call to n8n.
 *
 * n8n keeps what polls write in one of three ways:
 * - In memory, its default: the next poll finds what this one wrote. The database gets it in two cases only: at a publication; and when a
 *   poll emitted items, just before n8n stores their execution. After a restart, what polls without items wrote is gone.
 * - With its scheduler, each poll begins with what the database has. What a poll without items wrote is gone in the next one.
 * - With its scheduler and durable cursors (n8n's own feature, not the `Cursor` of this trigger), the database gets the node's own data in one
 *   transaction with the execution of the items, or after a poll without items. An activation without items is an exception: the node's own
 *   data that it wrote is gone.
 *
 * Therefore a poll writes its state twice, as the node's own data and as a copy in the data of the workflow, and its process remembers it.
 * n8n finds the node's own data by the node's name, with durable cursors by its ID. The copy is found by the ID. What a poll finds counts as
 * stored here, even if it is only in n8n's memory.
 *
 * n8n does not execute all that a poll returns. When the workflow is unpublished while the poll runs, n8n discards the items and does not
 * store the state. When the workflow is published again while the poll runs, each of the three ways is different: in memory, n8n discards both;
 * with the scheduler, it keeps both; with durable cursors, it discards the items and the node's own data, but stores the copy.
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
  /** If its poll emitted, the state from which that poll went on. Left out of a copy when that state is the node's own data, which n8n still has. */
  before?: StoredState;
}

export interface Written {
  state: StoredState;
  /** The latest revision that n8n had stored then. */
  storedRevision: number;
}

/** The states that a poll finds, and what decides which of them is good. */
export interface FoundStates {
  own?: StoredState;
  copy?: StoredState;
  written?: Written;
  nodeName: string;
  /** Whether it is known that n8n executes what the last poll of this process emitted. The state of that poll may still not be found. */
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
 * @returns undefined when there is neither a good state nor a copy, so that the trigger starts as a new one
 */
export function chooseState(found: FoundStates): StoredState | undefined {
  const { own, written, copy } = found;
  const candidates: Array<{ place: Place; state?: StoredState }> = [
    { place: 'own', state: own },
    { place: 'process', state: written?.state },
    { place: 'before', state: written?.state.before },
    { place: 'copy', state: copy },
    { place: 'before', state: copy?.before },
  ];
  const good = candidates.flatMap(({ place, state }) => (state && isGood(place, state, found) ? [state] : []));
  // Sorting keeps the order of equal revisions: the node's own state comes first.
  const [newest] = good.sort((a, b) => b.revision - a.revision);
  // Where none is good, the copy is all that is known: without it, the trigger would start as if it were new.
  return newest ?? copy;
}

/** The latest revision that n8n has stored, as far as the poll finds it: as own data or as a copy. 0 when it finds neither. */
export function storedRevisionOf({ own, copy }: Pick<FoundStates, 'own' | 'copy'>): number {
  return Math.max(own?.revision ?? 0, copy?.revision ?? 0);
}

function isGood(place: Place, state: StoredState, found: FoundStates): boolean {
  switch (place) {
    case 'own':
      // n8n stores the node's own data only if it executes the items that the poll emitted: with durable cursors in the same transaction,
      // else just before them.
      return true;
    case 'process':
      // As long as n8n has stored nothing since this process wrote the state, only this process has the state. (Later, 'own' or 'copy' is at least as
      // new.) Without items, n8n may never store it, and it is good. With items, it is good if n8n executes them. `isLastExecuted` in `state.ts` may
      // know that although this poll finds nothing stored.
      return !isStoredSince(found) && (!state.hasEmitted || found.isExecuted);
    case 'copy':
      // A copy without items is good. With items, n8n may have stored the copy and not the items. But after a rename, the copy is all that
      // n8n finds; it is good then, unless this process wrote it itself and does not know that n8n executes the items.
      return !state.hasEmitted || (isRenamed(state, found) && !isInDoubt(state, found));
    case 'before':
      // An earlier poll went on from this state, so it was good then. It is older than the state which that poll wrote, so it is chosen only
      // where the newer one is not good.
      return true;
  }
}

/** Whether n8n has stored a state since this process wrote its last one: this last one itself, or that of another process. */
function isStoredSince(found: FoundStates): boolean {
  return storedRevisionOf(found) > (found.written?.storedRevision ?? -1);
}

/** Whether this process wrote the copy, and does not know that n8n executes what its poll emitted. */
function isInDoubt(copy: StoredState, { written, isExecuted }: FoundStates): boolean {
  return copy.revision === written?.state.revision && !isExecuted;
}

/** Whether the node has been renamed since its copy was written, so that n8n does not find the node's own data that was written with it. */
function isRenamed(copy: StoredState, { own, nodeName }: FoundStates): boolean {
  if (copy.name === nodeName) return false;
  // n8n has found no own data under the new name.
  if (own === undefined) return true;
  // Own data that was itself written under the new name is left over from an earlier use of that name. (A poll after the rename would have written
  // a new copy, too.) Own data from the time of the copy has the old name: with durable cursors, n8n finds it by the node's ID, and the rename has
  // lost nothing.
  return own.name === nodeName;
}
