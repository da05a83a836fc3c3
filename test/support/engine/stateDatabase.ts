import type { IDataObject, INode, Workflow } from 'n8n-workflow';

/** What n8n stores of a workflow: its static data, and the durable cursors of its triggers by the ID of the node. */
export class StateDatabase {
  private saved: IDataObject = {};
  private readonly cursors = new Map<string, IDataObject>();

  /** The static data without the cursors. */
  get staticData(): IDataObject {
    return plain(this.saved);
  }

  save({ staticData }: Workflow): void {
    if (staticData.__dataChanged !== true) return;
    this.saved = plain(staticData);
    staticData.__dataChanged = false;
  }

  /** A copy of a node's cursor, which begins with the static data of the node. */
  cursorOf({ id }: INode, staticData: IDataObject): IDataObject {
    const cursor = this.cursors.get(id) ?? plain(staticData);
    this.cursors.set(id, cursor);
    return plain(cursor);
  }

  saveCursor({ id }: INode, cursor: IDataObject): void {
    this.cursors.set(id, plain(cursor));
  }

  /** The static data, in which the cursors of nodes replace their own. */
  withCursors(nodes: INode[]): IDataObject {
    const { staticData } = this;
    for (const node of nodes) {
      const cursor = this.cursors.get(node.id);
      // n8n stores an empty cursor, too, but a poll sees no difference to none.
      if (cursor !== undefined && Object.keys(cursor).length > 0) staticData[`node:${node.name}`] = plain(cursor);
    }
    return staticData;
  }
}

/** A value as the database stores it, without the observer that n8n puts around it. */
export function plain(value: IDataObject): IDataObject {
  return JSON.parse(JSON.stringify(value)) as IDataObject;
}
