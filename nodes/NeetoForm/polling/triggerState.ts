import type { IDataObject } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import type { Cursor } from './cursor';

/** What a trigger remembers of one form. */
export interface FormState {
  cursor: Cursor;
  /** The form's `submissions_count` before its last complete read; undefined when it was not read to its end. */
  count?: number;
  /** ms, the service's time when the form was first seen archived. */
  archivedAt?: number;
  /** Whether an archived form was read to its end, a look-back after it was archived. */
  isResting?: boolean;
  /** Whether the last list of forms lacked it. */
  isMissing?: boolean;
}

/** What a trigger remembers between polls. */
export interface TriggerState {
  /** ms, the service's time when All Active Forms began: forms that join later start there. */
  startedAt?: number;
  /** The form where the last poll stopped. */
  position?: string;
  forms: Map<string, FormState>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The state as plain JSON. */
export function packState({ startedAt, position, forms }: TriggerState): IDataObject {
  const packed = Object.fromEntries([...forms].map(([formId, form]) => [formId, packForm(form)]));
  return { startedAt, position, forms: packed };
}

/** @param stored what `packState` returned; what is not of its format is left out */
export function unpackState(stored: IDataObject): TriggerState {
  const forms = isRecord(stored.forms) ? Object.entries(stored.forms) : [];
  return {
    startedAt: numberOf(stored.startedAt),
    position: textOf(stored.position) || undefined,
    forms: new Map(forms.flatMap(([formId, form]) => unpackForm(formId, form))),
  };
}

function packForm({ cursor, count, archivedAt, isResting, isMissing }: FormState): IDataObject {
  const { watermark, seenIds } = cursor;
  return { watermark, seenIds: packIds(seenIds, watermark), count, archivedAt, isResting, isMissing };
}

function unpackForm(formId: string, stored: unknown): Array<[formId: string, form: FormState]> {
  if (!isRecord(stored) || typeof stored.watermark !== 'number') return [];
  const { watermark, seenIds, count, archivedAt, isResting, isMissing } = stored;
  const form: FormState = {
    cursor: { watermark, seenIds: unpackIds(textOf(seenIds), watermark) },
    count: numberOf(count),
    archivedAt: numberOf(archivedAt),
    isResting: isResting === true || undefined,
    isMissing: isMissing === true || undefined,
  };
  return [[formId, form]];
}

/** `id+offset` separated by spaces: a UUID as 22 characters, the offset from the watermark (ms) to base 36, so that 2,000 take 60 kB. */
function packIds(seenIds: Cursor['seenIds'], watermark: number): string {
  return [...seenIds].map(([id, ms]) => `${packId(id)}+${(ms - watermark).toString(36)}`).join(' ');
}

function unpackIds(packed: string, watermark: number): Cursor['seenIds'] {
  const entries = packed.split(' ').filter((entry) => entry !== '');
  return new Map(
    entries.map((entry) => {
      const plus = entry.lastIndexOf('+');
      return [unpackId(entry.slice(0, plus)), watermark + parseInt(entry.slice(plus + 1), 36)];
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

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
