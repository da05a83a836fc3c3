/**
 * Chooses the state from which a poll goes on. Pure: no requests, no clock, no call to n8n.
 *
 * A poll leaves its state in three places. Two are in what n8n calls static data:
 * - `own`, in the static data of the node. n8n finds it by the node's name or, with durable cursors, by its ID.
 * - `copy`, in the static data that all nodes of the workflow share. We find it by the node's ID, even after a rename.
 * - `written`, in the memory of the process.
 *
 * n8n keeps static data in one of three ways (its "durable cursors" are a setting, and have nothing to do with our `Cursor`):
 * - In memory, its default: the next poll finds what this one wrote. The database gets it at a publication, and with the items of a poll.
 * - With its scheduler, a poll finds what the database has: what a poll with items wrote, but not what one without items wrote.
 * - With its scheduler and durable cursors, the database gets `own` after each scheduled poll, in one transaction with the items, and `copy` at
 *   another time. From a poll at a publication, or at n8n's start, the database gets `copy`, but not `own`.
 *
 * n8n discards the items of a poll during which the workflow is unpublished, or a changed trigger published. With durable cursors, it may still store
 * the copy.
 */

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { TriggerState } from '../watching/cursor';

/** A state as static data holds it. */
export interface StoredState extends IDataObject {
  nodeId: string;
  /** The node's name when the state was written. */
  name: string;
  /** The host of the workspace. */
  workspace: string;
  /** Grows by one or more with every state that the node writes. */
  revision: number;
  /** When the state was written, on the local clock. */
  time: number;
  /** Whether its poll emitted submissions. */
  hasEmitted: boolean;
  content: TriggerState;
  /**
   * The state from which the poll went on, if the poll emitted. It is good if n8n does not execute the items. The copy lacks it if that state was
   * `own`: until n8n stores the items, it has that state there.
   */
  before?: StoredState;
}

/** The state that this process wrote last. */
export interface Written {
  state: StoredState;
  /** The latest revision that n8n had when its poll began. */
  foundRevision: number;
  /** The context of its poll. */
  context: IPollFunctions;
  /** Aborts when n8n has had enough time to store it. A time on the clock would make polls wait for hours if the clock is set back. */
  timeToStore: AbortSignal;
}

/** The states that a poll finds, and what decides which of them is good. */
export interface FoundStates {
  own?: StoredState;
  copy?: StoredState;
  written?: Pick<Written, 'state' | 'foundRevision'>;
  nodeName: string;
  /** Whether n8n is known to execute what the last poll of this process emitted. */
  isExecuted: boolean;
}

type Place = 'own' | 'process' | 'copy' | 'before';

/**
 * Chooses the newest good state: one whose poll emitted nothing, or whose items n8n certainly executes.
 *
 * Example: with durable cursors, a poll emits A. n8n dies when it has stored the copy, but not yet the items with the own data. The copy says that
 * A was delivered, so it is not good. The older own data is chosen, and A is emitted again.
 *
 * @returns undefined when there is no state
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
  // Of equal revisions, own data stays first.
  const [newest] = good.sort((a, b) => b.revision - a.revision);
  // If none is good, the copy is chosen all the same: otherwise, the trigger would start as if it were new.
  return newest ?? copy;
}

/** The latest revision in n8n's static data, or 0. */
export function foundRevisionOf({ own, copy }: Pick<FoundStates, 'own' | 'copy'>): number {
  return Math.max(own?.revision ?? 0, copy?.revision ?? 0);
}

function isGood(place: Place, state: StoredState, found: FoundStates): boolean {
  switch (place) {
    case 'own':
    case 'before':
      // n8n discards the items of a poll only together with its `own`. So an `own` that is found is good. `before` was good when it was chosen.
      return true;
    case 'process':
      // If n8n has stored anything since that poll began, what is found as `own` or `copy` counts.
      return !isOvertaken(found) && (!state.hasEmitted || found.isExecuted);
    case 'copy':
      // n8n may have stored the copy and not the items. But after a rename, the copy is all that is found.
      return !state.hasEmitted || (isRenamed(state, found) && !isInDoubt(state, found));
  }
}

/** Whether n8n has a later state now than when the last poll of this process began: the state of that poll, or one of another process. */
function isOvertaken(found: FoundStates): boolean {
  return foundRevisionOf(found) > (found.written?.foundRevision ?? -1);
}

/** Whether this process wrote the copy, and does not know that n8n executes the items of that poll. */
function isInDoubt(copy: StoredState, { written, isExecuted }: FoundStates): boolean {
  return copy.revision === written?.state.revision && !isExecuted;
}

/** Whether the node was renamed since its copy was written, so that n8n does not find the `own` of that time. */
function isRenamed(copy: StoredState, { own, nodeName }: FoundStates): boolean {
  // If `own` was found although it has an old name of the node, n8n found it by the node's ID (durable cursors). So the rename has not hidden it.
  const isFoundById = own !== undefined && own.name !== nodeName;
  return copy.name !== nodeName && !isFoundById;
}
