import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import type { Cursor } from './cursor';

const VERSION = 1;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The cursor as plain JSON. `seen` is one string, `id+offset` separated by spaces: a UUID as 22 characters, the offset from `c` in
 * ms to base 36, so that 2,000 ids take about 60 kB.
 */
export function packState(source: string, { c, seen }: Cursor): IDataObject {
  return {
    v: VERSION,
    source,
    c,
    seen: [...seen].map(([id, ms]) => `${packId(id)}+${(ms - c).toString(36)}`).join(' '),
  };
}

/** @returns the cursor, or undefined when there is none for this source (another form or workspace starts anew) */
export function unpackState(state: unknown, source: string): Cursor | undefined {
  if (!isRecord(state) || state.v !== VERSION || state.source !== source || typeof state.c !== 'number')
    return undefined;
  const { c } = state;
  const entries = textOf(state.seen)
    .split(' ')
    .filter((entry) => entry !== '');
  return { c, seen: new Map(entries.map((entry) => unpackEntry(entry, c))) };
}

function unpackEntry(entry: string, c: number): [string, number] {
  const plus = entry.lastIndexOf('+');
  return [unpackId(entry.slice(0, plus)), c + parseInt(entry.slice(plus + 1), 36)];
}

function packId(id: string): string {
  return UUID.test(id)
    ? Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')
    : `~${encodeURIComponent(id)}`;
}

function unpackId(packed: string): string {
  if (packed.startsWith('~')) return decodeURIComponent(packed.slice(1));
  return Buffer.from(packed, 'base64url')
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
