import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { Cursor } from './cursor';
import { packState, STATE_KEY, unpackState } from './state';

/**
 * The cursor between polls: in the node's static data, and a copy under the node's id in the workflow's. n8n keys the former by the
 * node's name, so renaming the node loses it, and with durable cursors it drops what the activation poll leaves there; the copy is
 * read only when the node has nothing of its own.
 */
export class CursorStore {
  private readonly node: IDataObject;

  private readonly workflow: IDataObject;

  private readonly copyKey: string;

  private readonly source: string;

  constructor(context: IPollFunctions, source: string) {
    this.source = source;
    this.node = context.getWorkflowStaticData('node');
    this.workflow = context.getWorkflowStaticData('global');
    this.copyKey = `neetoFormTrigger:${context.getNode().id}`;
  }

  /** @returns undefined when nothing is known of this source yet */
  load(): Cursor | undefined {
    return unpackState(this.node[STATE_KEY] ?? this.workflow[this.copyKey], this.source);
  }

  /** Replaces what is kept, if it differs. Synchronous, so that a poll can do it as its last act. */
  save(cursor: Cursor): void {
    const state = packState(this.source, cursor);
    for (const [data, key] of [
      [this.node, STATE_KEY],
      [this.workflow, this.copyKey],
    ] as const) {
      if (JSON.stringify(data[key]) !== JSON.stringify(state)) data[key] = { ...state };
    }
  }
}
