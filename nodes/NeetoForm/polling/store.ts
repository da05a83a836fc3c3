import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { isRecord } from '../json';
import type { FormCall } from './ask';
import type { Cursor } from './cursor';
import { packState, unpackState } from './state';

/** Where cursors are kept: one key a form, replaced whole. */
const NODE_KEY = 'cursor:';
const WORKFLOW_KEY = 'neetoFormTrigger:';

/**
 * One form's cursor between polls: in the node's static data, and a copy under the node's id in the workflow's. n8n keys the former
 * by the node's name, so renaming the node loses it, and with durable cursors it drops what the activation poll leaves there.
 *
 * Each holds the name that the node had when it was written and a number that grows with every change, for an older state may still
 * lie under a name that the node has again.
 */
export class CursorStore {
  private readonly node: IDataObject;

  private readonly workflow: IDataObject;

  private readonly key: string;

  private readonly copyKey: string;

  private readonly name: string;

  private readonly source: string;

  constructor({ context, workspace, formId }: FormCall) {
    const { id, name } = context.getNode();
    // The same form's ID may stand in another workspace too.
    this.source = `${new URL(workspace).host}/${formId}`;
    this.name = name;
    this.node = context.getWorkflowStaticData('node');
    this.workflow = context.getWorkflowStaticData('global');
    this.key = NODE_KEY + formId;
    this.copyKey = `${WORKFLOW_KEY}${id}:${formId}`;
  }

  /** @returns undefined when nothing is known of this source yet */
  load(): Cursor | undefined {
    return unpackState(this.current(), this.source);
  }

  /** Replaces what is kept, if it differs. Synchronous, so that a poll can do it as its last act. */
  save(cursor: Cursor): void {
    const last = this.current();
    const state = {
      ...packState(this.source, cursor),
      name: this.name,
      n: last === undefined ? this.latestNumber : numberOf(last),
    };
    const next = isSame(this.own, state) ? state : { ...state, n: state.n + 1 };
    // n8n stores the copy before it stores a durable cursor with its execution. Until the node has a state of its own, the copy
    // therefore keeps where this poll began, in case n8n dies between the two.
    const before = this.own === undefined && last !== undefined ? { before: withoutBefore(last) } : {};
    replace(this.node, this.key, next);
    replace(this.workflow, this.copyKey, { ...next, ...before });
  }

  /** With durable cursors, what another workspace has left stays here until a poll after the activation. */
  private get own(): IDataObject | undefined {
    return this.ofSource(objectAt(this.node, this.key));
  }

  private get copy(): IDataObject | undefined {
    return this.ofSource(objectAt(this.workflow, this.copyKey));
  }

  /** Of whatever source. */
  private get latestNumber(): number {
    return Math.max(numberOf(objectAt(this.node, this.key)), numberOf(objectAt(this.workflow, this.copyKey)));
  }

  private ofSource(state: IDataObject | undefined): IDataObject | undefined {
    return state?.source === this.source ? state : undefined;
  }

  private current(): IDataObject | undefined {
    const { own, copy } = this;
    if (copy === undefined) return own;
    if (own === undefined) return (copy.name === this.name ? objectAt(copy, 'before') : undefined) ?? copy;
    // A durable cursor stays with the node and may bear an older name; what bears this one may lie here from an earlier time.
    const isOutdated = own.name === this.name && copy.name !== this.name && numberOf(copy) > numberOf(own);
    return isOutdated ? copy : own;
  }
}

/** Forgets the cursors of forms that are watched no longer. */
export function forgetOtherForms(context: IPollFunctions, watched: string[]): void {
  const places: Array<[data: IDataObject, prefix: string]> = [
    [context.getWorkflowStaticData('node'), NODE_KEY],
    [context.getWorkflowStaticData('global'), `${WORKFLOW_KEY}${context.getNode().id}:`],
  ];
  for (const [data, prefix] of places) {
    const kept = new Set(watched.map((formId) => prefix + formId));
    for (const key of Object.keys(data)) {
      if (key.startsWith(prefix) && !kept.has(key)) Reflect.deleteProperty(data, key);
    }
  }
}

function numberOf(state: IDataObject | undefined): number {
  return typeof state?.n === 'number' ? state.n : 0;
}

function withoutBefore(state: IDataObject): IDataObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => key !== 'before'));
}

function replace(data: IDataObject, key: string, value: IDataObject): void {
  if (!isSame(data[key], value)) data[key] = value;
}

function isSame(one: unknown, other: IDataObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function objectAt(data: IDataObject, key: string): IDataObject | undefined {
  const value = data[key];
  return isRecord(value) ? (value as IDataObject) : undefined;
}
