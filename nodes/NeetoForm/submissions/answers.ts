import type { GenericValue, IDataObject } from 'n8n-workflow';
import { isRecord, parseJson, textOf } from '../json';
import { objectOf } from './uniqueNames';

export type Value = IDataObject | GenericValue | GenericValue[] | IDataObject[];

export type Cell = string | number | boolean | null;

export interface FileAnswer {
  /** '' when the answer has no name. */
  name: string;
  url: string;
}

/** In the order of a written name. An answer may also spell them `firstName`, `lastName` …. */
const NAME_PARTS = ['prefix', 'first_name', 'middle_name', 'last_name', 'suffix'];

/**
 * Flattens an answer by its shape:
 * - A phone, `{country_name, value}`, becomes its number.
 * - An address, `{address: [{label, content}, …]}`, becomes an object with the labels as keys.
 * - Files become a list of `{name, url}`, with their other fields.
 * - A missing answer becomes null.
 * - Any other shape stays as it is, except parts that lie too deep.
 */
export function flatten(kind: string, value: unknown): Value {
  // Only for speed: most answers are scalars.
  if (isScalar(value) && !isAboutFiles(kind)) return value;
  return limitDepth(flattenByShape(kind, value));
}

function flattenByShape(kind: string, value: unknown): Value {
  const { files, isAll } = findFiles(kind, value);
  if (isAll) return files;
  if (!isRecord(value)) return isList(value) || isScalar(value) ? value : null;
  if ('country_name' in value && isScalar(value.value)) return value.value;
  const lines = linesOfAddress(value);
  return lines ? objectOf(lines.map(({ label, text }) => [label, text as GenericValue])) : value;
}

/** Flattens an answer to a cell: lists, names and postal addresses as one text, files as their web addresses, unknown shapes as JSON. */
export function toCell(kind: string, value: unknown): Cell {
  const flat: unknown = flatten(kind, value);
  if (isScalar(flat)) return flat;
  const { files, isAll } = findFiles(kind, value);
  const list = isAll ? files.map(({ url }) => url) : flat;
  // `flat` no longer has the lines of an address: their labels have become keys.
  const address = linesOfAddress(value)?.map(({ text }) => text);
  // As a list, or else as a name, or else as an address, or else as JSON.
  return join(list, ', ') ?? join(namePartsIn(flat), ' ') ?? join(address, ', ') ?? JSON.stringify(flat);
}

/** Finds the files in an answer to a question of this kind. */
export function filesIn(kind: string, value: unknown): FileAnswer[] {
  return findFiles(kind, value).files.map(({ name, url }) => ({ name, url }));
}

/** Finds the files in an answer. `isAll` means that the answer holds nothing else, so that the list of files may replace it. */
function findFiles(kind: string, value: unknown): { files: Array<IDataObject & FileAnswer>; isAll: boolean } {
  const isFileQuestion = isAboutFiles(kind);
  // Files in JSON count only if the question is about files: in others, a respondent may have typed the JSON.
  const given = isFileQuestion && typeof value === 'string' ? parseJson(value) : value;
  const wrapped = isRecord(given) && isList(given.files) ? given.files : undefined;
  const entries = wrapped ?? (isList(given) ? given : [given]);
  const files = entries.flatMap((entry) => {
    if (isFileQuestion && typeof entry === 'string' && /^\s*https?:/i.test(entry)) return [{ name: '', url: entry }];
    if (!isRecord(entry) || typeof entry.url !== 'string') return [];
    const isFile = typeof entry.name === 'string' || wrapped !== undefined || isFileQuestion;
    return isFile ? [{ ...entry, name: textOf(entry.name), url: entry.url }] : [];
  });
  // An answer `{files, comment}` stays as it is: its list of files would lack the comment. A single
  // `{name, url}` stays, too, unless the question is about files: such an object may be something else.
  const mayReplace = wrapped !== undefined ? hasOneKey(given) : isList(given) || isFileQuestion;
  return { files, isAll: mayReplace && files.length === entries.length };
}

/** Whether a question is about files. The service does not document its kinds, so words in the kind decide. */
export function isAboutFiles(kind: string): boolean {
  return /file|upload|attachment|signature/i.test(kind);
}

/** Reads an address: `[{label, content}, …]`, also as `{address: […]}`, and also with `value` for `content`. Undefined for any other value. */
function linesOfAddress(value: unknown): Array<{ label: string; text: unknown }> | undefined {
  const given: unknown = isRecord(value) && hasOneKey(value) ? value.address : value;
  if (!isList(given) || !given.every(isAddressLine)) return undefined;
  return given.map((line) => ({ label: line.label, text: 'value' in line ? line.value : line.content }));
}

function isAddressLine(line: unknown): line is IDataObject & { label: string } {
  return isRecord(line) && typeof line.label === 'string' && ('content' in line || 'value' in line);
}

/** Reads a name: its parts in the order of `NAME_PARTS`, or the full name alone if it is given. */
function namePartsIn(value: unknown): unknown[] | undefined {
  if (!isRecord(value)) return undefined;
  const parts = new Map(Object.entries(value).map(([key, part]) => [toSnakeCase(key), part]));
  const full = parts.get('full_name');
  parts.delete('full_name');
  const isName = full !== undefined || parts.has('first_name') || parts.has('last_name');
  if (!isName || [...parts.keys()].some((part) => !NAME_PARTS.includes(part))) return undefined;
  return (full ?? '') === '' ? NAME_PARTS.map((part) => parts.get(part) ?? null) : [full];
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Joins the parts of a list that are not blank. Undefined when a part is an object or a list, or when there is no list. */
function join(parts: unknown, separator: string): string | undefined {
  if (!isList(parts) || !parts.every(isScalar)) return undefined;
  const texts = parts.map((part) => String(part ?? '').trim());
  return texts.filter((text) => text !== '').join(separator);
}

function isList(value: unknown): value is GenericValue[] {
  return Array.isArray(value);
}

function isScalar(value: unknown): value is Cell {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function hasOneKey(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 1;
}

/** n8n and `JSON.stringify` are recursive. They throw at a few thousand levels. */
const MAX_DEPTH = 100;

/** Replaces everything deeper than `MAX_DEPTH` by `…`. Returns the value itself when nothing is deeper. */
export function limitDepth<T>(value: T): T;
export function limitDepth(value: unknown): unknown {
  return isDeeper(value, MAX_DEPTH) ? cut(value, MAX_DEPTH) : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

function cut(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((part) => cut(part, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part, levels - 1)]));
}
