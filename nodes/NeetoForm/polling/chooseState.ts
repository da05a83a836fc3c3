/**
 * Chooses the state from which a poll goes on. Pure: no requests, no clock, no call to n8n.
 *
 * A poll writes its state twice: as the node's own data, and as a copy in the data of the workflow. Its process remembers it, too. n8n finds own
 * data by the node's name or, with durable cursors, by its ID. The copy is found by the ID, even after a rename.
 *
 * n8n keeps what polls write in one of three ways (its "durable cursors" are a setting, and have nothing to do with our `Cursor`):
 * - In memory, its default: the next poll finds what this one wrote. The database gets it at a publication, and with the items of a poll.
 * - With its scheduler, a poll finds what the database has: what a poll with items wrote, but not what one without items wrote.
 * - With its scheduler and durable cursors, the database gets own data after each scheduled poll, in one transaction with the items, and the copy at
 *   another time. From a poll at a publication, or at n8n's start, the database gets the copy, but not the own data.
 *
 * n8n discards the items of a poll during which the workflow is unpublished, or a changed trigger published. With durable cursors, it may still store
 * the copy.
 */

import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { TriggerState } from '../watching/cursor';

/** A state as n8n stores it. */
export interface StoredState extends IDataObject {
  nodeId: string;
  /** The node's name when it was written. */
  name: string;
  /** The host of the workspace. */
  workspace: string;
  /** Grows with every change. */
  revision: number;
  time: number;
  /** Whether its poll emitted submissions. */
  hasEmitted: boolean;
  content: TriggerState;
  /**
   * The state from which the poll went on, if the poll emitted. A copy has no `before` if that state was own data: as long as n8n has not stored the
   * items with the new own data, the next poll finds the old own data.
   */
  before?: StoredState;
}

/** The state that this process wrote last. */
export interface Written {
  state: StoredState;
  /** The latest revision that its poll had found. */
  foundRevision: number;
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

/** The latest revision that a poll finds, or 0. */
export function foundRevisionOf({ own, copy }: Pick<FoundStates, 'own' | 'copy'>): number {
  return Math.max(own?.revision ?? 0, copy?.revision ?? 0);
}

function isGood(place: Place, state: StoredState, found: FoundStates): boolean {
  switch (place) {
    case 'own':
    case 'before':
      // n8n discards the items of a poll only together with its own data, so own data that is found is good. 'before' was good when it was chosen.
      return true;
    case 'process':
      // If n8n has stored this state, it is found as 'own' or 'copy'. If n8n has stored another state since, that one counts.
      return !hasStoredSince(found) && (!state.hasEmitted || found.isExecuted);
    case 'copy':
      // n8n may have stored the copy and not the items. But after a rename, the copy is all that n8n finds.
      return !state.hasEmitted || (isRenamed(state, found) && !isInDoubt(state, found));
  }
}

/** Whether n8n has stored anything since the last poll of this process began: the state that it wrote, or another one. */
function hasStoredSince(found: FoundStates): boolean {
  return foundRevisionOf(found) > (found.written?.foundRevision ?? -1);
}

/** Whether this process wrote the copy, and does not know that n8n executes the items of it. */
function isInDoubt(copy: StoredState, { written, isExecuted }: FoundStates): boolean {
  return copy.revision === written?.state.revision && !isExecuted;
}

/** Whether the node was renamed since its copy was written, so that n8n does not find the own data of that time. */
function isRenamed(copy: StoredState, { own, nodeName }: FoundStates): boolean {
  // If the own data that was found has an old name of the node, n8n found it by the node's ID (durable cursors). So the rename has not hidden it.
  const isFoundById = own !== undefined && own.name !== nodeName;
  return copy.name !== nodeName && !isFoundById;
}
