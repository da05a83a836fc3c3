import type { IDataObject, INode, Workflow } from 'n8n-workflow';
import { isObject } from './workflow';

/** What n8n keeps of a workflow in its database: its static data, and the durable cursors of its triggers by the ID of the node. */
export class StateDatabase {
  private saved: IDataObject;
  private readonly cursors = new Map<string, IDataObject>();

  /** @param nodes those that have a durable cursor in it */
  constructor(staticData: IDataObject, nodes: INode[]) {
    this.saved = plain(staticData);
    for (const node of nodes) {
      const cursor = this.saved[keyOf(node)];
      if (isObject(cursor)) this.cursors.set(node.id, cursor);
    }
  }

  /** The static data without the cursors. */
  get staticData(): IDataObject {
    return plain(this.saved);
  }

  /** Stores the static data of a workflow if it was changed. */
  save({ staticData }: Workflow): void {
    if (staticData.__dataChanged !== true) return;
    this.saved = plain(staticData);
    staticData.__dataChanged = false;
  }

  /** A copy of the cursor of a node; the first time, it begins with the static data of the node. */
  cursorOf({ id }: INode, staticData: IDataObject): IDataObject {
    const cursor = this.cursors.get(id) ?? plain(staticData);
    this.cursors.set(id, cursor);
    return plain(cursor);
  }

  saveCursor({ id }: INode, cursor: IDataObject): void {
    this.cursors.set(id, plain(cursor));
  }

  /** Puts each cursor in place of the static data of its node. @param staticData default: a copy of what is stored */
  withCursors(nodes: INode[], staticData = this.staticData): IDataObject {
    for (const node of nodes) {
      const cursor = this.cursors.get(node.id);
      // An empty cursor is a row in n8n's database all the same, but there is nothing to see.
      if (cursor !== undefined && Object.keys(cursor).length > 0) staticData[keyOf(node)] = plain(cursor);
    }
    return staticData;
  }
}

function keyOf(node: INode): string {
  return `node:${node.name}`;
}

/** As the database stores it: JSON, without the observer that n8n puts around it. */
export function plain(value: IDataObject): IDataObject {
  return JSON.parse(JSON.stringify(value)) as IDataObject;
}
