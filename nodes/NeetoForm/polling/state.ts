import type { IDataObject } from 'n8n-workflow';
import { isRecord, numberOf, textOf } from '../json';
import type { Cursor } from './batch';

/** What a trigger remembers of one form. */
export interface FormState {
  cursor: Cursor;
  /** ms, the service's time: since when the list of forms says that the form is archived. */
  archivedSince?: number;
  /** ms, the service's time: since when the list of forms lacks it. */
  missingSince?: number;
  /** ms on the local clock: when the look at the window that was made last was due. Undefined makes it due. */
  lookedAt?: number;
  /** The form's `submissions_count` before it was last read to its end; undefined when it was not. */
  count?: number;
}

/** What a trigger remembers between polls: IDs and times, never answers. */
export interface TriggerState {
  /** ms, with All Active Forms: up to when the last list showed the forms that were created. A form created later is new. */
  listedTo?: number;
  /** ID of the form with which the next poll begins. */
  position?: string;
  forms: Map<string, FormState>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The state as plain JSON. */
export function packState({ listedTo, position, forms }: TriggerState): IDataObject {
  const packed = Object.fromEntries([...forms].map(([formId, form]) => [formId, packForm(form)]));
  return { listedTo, position, forms: packed };
}

/** @param stored what `packState` returned; what is not of its format is left out */
export function unpackState(stored: IDataObject): TriggerState {
  const forms = isRecord(stored.forms) ? Object.entries(stored.forms) : [];
  return {
    listedTo: numberOf(stored.listedTo),
    position: textOf(stored.position) || undefined,
    forms: new Map(forms.flatMap(([formId, form]) => unpackForm(formId, form))),
  };
}

function packForm({ cursor, ...rest }: FormState): IDataObject {
  return { ...cursor, known: packIds(cursor.known, cursor.from), ...rest };
}

function unpackForm(formId: string, stored: unknown): Array<[formId: string, form: FormState]> {
  if (!isRecord(stored) || typeof stored.from !== 'number' || typeof stored.recent !== 'number') return [];
  const { from, recent, look, known, ...rest } = stored;
  const cursor = { from, recent, look: numberOf(look) ?? from, known: unpackIds(textOf(known), from) };
  const numbers = Object.fromEntries(
    (['archivedSince', 'missingSince', 'lookedAt', 'count'] as const).map((key) => [key, numberOf(rest[key])]),
  );
  return [[formId, { cursor, ...numbers }]];
}

/** `id+offset` separated by blanks: a UUID as 22 characters, the offset (ms) to base 36, so that 2,000 take 60 kB. */
function packIds(known: Cursor['known'], from: number): string {
  return [...known].map(([id, ms]) => `${packId(id)}+${(ms - from).toString(36)}`).join(' ');
}

function unpackIds(packed: string, from: number): Cursor['known'] {
  const entries = packed.split(' ').filter((entry) => entry !== '');
  return new Map(
    entries.map((entry) => {
      const plus = entry.lastIndexOf('+');
      return [unpackId(entry.slice(0, plus)), from + parseInt(entry.slice(plus + 1), 36)];
    }),
  );
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
