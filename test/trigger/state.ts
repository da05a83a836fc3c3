import type { IDataObject } from 'n8n-workflow';

/** What the trigger kept, read by this file's own reading of the format, so that a mistake in the package's shows. */
export interface KeptState {
  source: string;
  /** ms */
  c: number;
  /** ms by id */
  seen: Map<string, number>;
}

/**
 * The state from which a poll of a form would go on: the node's own, or the copy under its id.
 *
 * @param staticData of the whole workflow
 */
export function keptState(
  staticData: IDataObject,
  node: { id: string; name: string },
  formId: string,
): KeptState | undefined {
  const own = part(part(staticData, `node:${node.name}`), `cursor:${formId}`);
  const copy = part(part(staticData, 'global'), `neetoFormTrigger:${node.id}:${formId}`);
  return readState(own) ?? readState(copy);
}

function readState(state: IDataObject | undefined): KeptState | undefined {
  if (
    state === undefined ||
    typeof state.c !== 'number' ||
    typeof state.source !== 'string' ||
    typeof state.seen !== 'string'
  )
    return undefined;
  const { c, source } = state;
  const entries = state.seen.split(' ').filter(Boolean);
  return { source, c, seen: new Map(entries.map((entry) => readEntry(entry, c))) };
}

/** The simulation reads the same ids again and again. */
const uuids = new Map<string, string>();

function readEntry(entry: string, c: number): [string, number] {
  const [id = '', offset = ''] = entry.split('+');
  return [id.startsWith('~') ? decodeURIComponent(id.slice(1)) : uuidOf(id), c + parseInt(offset, 36)];
}

function uuidOf(packed: string): string {
  const known = uuids.get(packed);
  if (known !== undefined) return known;
  if (uuids.size > 20_000) uuids.clear();
  const uuid = decodeUuid(packed);
  uuids.set(packed, uuid);
  return uuid;
}

function decodeUuid(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function part(of: IDataObject | undefined, key: string): IDataObject | undefined {
  const value = of?.[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as IDataObject)
    : undefined;
}
