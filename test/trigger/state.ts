import type { IDataObject } from 'n8n-workflow';

/** What a trigger remembers of one form. */
export interface StoredForm {
  /** ms; everything created before it is settled. */
  watermark: number;
  /** Creation time (ms) of each known submission by its ID. */
  seenIds: Map<string, number>;
}

/** What a trigger remembers, read independently of the package so that a mistake in its format shows. */
export interface StoredState {
  nodeId: string;
  /** The name the node had when the state was written. */
  name: string;
  revision: number;
  /** Whether the poll that stored it emitted submissions. */
  hasEmitted: boolean;
  workspace: string;
  /** By form ID in lower case. */
  forms: Map<string, StoredForm>;
}

/**
 * The state that a poll of a node would continue from: the node's own, or the copy under its ID when the former is missing, was dropped
 * by n8n or belongs to another name. State of another node ID never counts.
 *
 * @param staticData of the whole workflow
 */
export function readStoredState(staticData: IDataObject, node: { id: string; name: string }): StoredState | undefined {
  const [storedOwn, storedCopy] = storedParts(staticData, node);
  const own = ofNode(node.id, parseState(storedOwn));
  const copy = ofNode(node.id, parseState(storedCopy));
  if (copy === undefined) return own;
  const isRenamed = copy.name !== node.name && (own === undefined || own.name === node.name);
  // The copy is stored before the execution to which it belongs. Until n8n keeps a state of the node's own, it says what was before.
  const candidate = copy.hasEmitted && !isRenamed ? parseState(objectAt(storedCopy, 'previous')) : copy;
  if (own === undefined) return candidate ?? copy;
  return candidate !== undefined && candidate.revision > own.revision ? candidate : own;
}

function ofNode(nodeId: string, state: StoredState | undefined): StoredState | undefined {
  return state?.nodeId === nodeId ? state : undefined;
}

/** What n8n stores of a trigger: the node's own state, and the copy under its ID. What lies under a former name is not its any more. */
export function storedParts(
  staticData: IDataObject,
  node: { id: string; name: string },
): [own: IDataObject | undefined, copy: IDataObject | undefined] {
  return [
    objectAt(objectAt(staticData, `node:${node.name}`), 'state'),
    objectAt(objectAt(staticData, 'global'), `neetoFormTrigger:${node.id}`),
  ];
}

function parseState(state: IDataObject | undefined): StoredState | undefined {
  if (
    state === undefined ||
    typeof state.nodeId !== 'string' ||
    typeof state.name !== 'string' ||
    typeof state.revision !== 'number' ||
    typeof state.workspace !== 'string'
  )
    return undefined;
  const { nodeId, name, revision, workspace } = state;
  const hasEmitted = state.hasEmitted === true;
  const forms = new Map<string, StoredForm>();
  for (const id of Object.keys(objectAt(state, 'forms') ?? {})) {
    const form = parseForm(objectAt(objectAt(state, 'forms'), id));
    if (form !== undefined) forms.set(id, form);
  }
  return { nodeId, name, revision, hasEmitted, workspace, forms };
}

function parseForm(form: IDataObject | undefined): StoredForm | undefined {
  if (form === undefined || typeof form.watermark !== 'number' || typeof form.seenIds !== 'string') return undefined;
  const { watermark } = form;
  const entries = form.seenIds.split(' ').filter((entry) => entry !== '');
  return { watermark, seenIds: new Map(entries.map((entry) => parseEntry(entry, watermark))) };
}

/** The simulation reads the same IDs again and again. */
const uuids = new Map<string, string>();

function parseEntry(entry: string, watermark: number): [string, number] {
  const [id = '', offset = ''] = entry.split('+');
  return [id.startsWith('~') ? decodeURIComponent(id.slice(1)) : uuidOf(id), watermark + parseInt(offset, 36)];
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

function objectAt(data: IDataObject | undefined, key: string): IDataObject | undefined {
  const value = data?.[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as IDataObject)
    : undefined;
}
