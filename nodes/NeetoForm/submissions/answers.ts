import type { GenericValue, IDataObject } from 'n8n-workflow';
import { isRecord, parseJson, textOf } from '../json';
import { limitDepth } from './depth';
import { objectOf } from './uniqueNames';

/** A value as n8n's items hold it. */
export type Value = IDataObject | GenericValue | GenericValue[] | IDataObject[];

/** What the cell of a spreadsheet can hold. */
export type Cell = string | number | boolean | null;

export interface FileAnswer {
  /** '' when the answer has no name. */
  name: string;
  url: string;
}

/** The keys of the parts of a name, in the order in which a name is written. An answer may also spell them `firstName`, `lastName` …. */
const NAME_PARTS = ['prefix', 'first_name', 'middle_name', 'last_name', 'suffix'];

/**
 * Flattens an answer by its shape:
 * - A phone, `{country_name, value}`, becomes its number.
 * - An address, `{address: [{label, content}, …]}`, becomes an object with the labels of its lines as keys.
 * - Files become a list of `{name, url}`, with the other fields that they have.
 * - An answer that is missing becomes null.
 *
 * Any other shape stays as it is, except parts that lie too deep. A text stays as it is, too, unless the question is about files: then it may
 * be the address of a file, or files in JSON. In an answer to any other question it must not count as a file, because a respondent may have
 * typed it.
 */
export function flatten(kind: string, value: unknown): Value {
  if (isPlain(kind, value)) return value;
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
  // The lines of an address are found in `value`: in `flat`, their labels have become the keys of an object.
  const address = linesOfAddress(value)?.map(({ text }) => text);
  return joinList(flat) ?? join(namePartsIn(flat), ' ') ?? join(address, ', ') ?? JSON.stringify(flat);
}

/** The files in an answer to a question of this kind. */
export function filesIn(kind: string, value: unknown): FileAnswer[] {
  if (isPlain(kind, value)) return [];
  return findFiles(kind, value).files.map(({ name, url }) => ({ name, url }));
}

/** Whether an answer is a text, a number, a boolean or null, and is not about files. Most answers are. */
function isPlain(kind: string, value: unknown): value is Cell {
  return isScalar(value) && !isAboutFiles(kind);
}

/** Finds the files in an answer. `isAll` tells whether the answer holds files and nothing else, so that the list of files may replace it. */
function findFiles(kind: string, value: unknown): { files: Array<IDataObject & FileAnswer>; isAll: boolean } {
  const isFileQuestion = isAboutFiles(kind);
  const given = isFileQuestion && typeof value === 'string' ? parseJson(value) : value;
  const wrapped = isRecord(given) && isList(given.files) ? given.files : undefined;
  const entries = wrapped ?? (isList(given) ? given : [given]);
  const files = entries.flatMap((entry) => {
    if (isFileQuestion && typeof entry === 'string' && /^\s*https?:/i.test(entry)) return [{ name: '', url: entry }];
    if (!isRecord(entry) || typeof entry.url !== 'string') return [];
    // Any object may have a `url`. It is a file if it also has a name, if it is in a list `files`, or if the question is about files.
    const isFile = typeof entry.name === 'string' || wrapped !== undefined || isFileQuestion;
    return isFile ? [{ ...entry, name: textOf(entry.name), url: entry.url }] : [];
  });
  // The files may replace a list, or an object that has no key but `files`. If the question is about files, they may also replace a single object or
  // text.
  const mayReplace = wrapped !== undefined ? hasOneKey(given) : isList(given) || isFileQuestion;
  return { files, isAll: mayReplace && files.length === entries.length };
}

/** Whether a question is about files. The service does not document its kinds of questions, so a kind is recognized by words in it. */
export function isAboutFiles(kind: string): boolean {
  return /file|upload|attachment|signature/i.test(kind);
}

/**
 * The lines of an address: a list of `{label, content}` or `{label, value}`, which is the answer itself or its only part, `address`.
 * Undefined for any other value.
 */
function linesOfAddress(value: unknown): Array<{ label: string; text: unknown }> | undefined {
  const given: unknown = isRecord(value) && hasOneKey(value) ? value.address : value;
  if (!Array.isArray(given)) return undefined;
  const lines = given.filter(isRecord).filter((line) => 'content' in line || 'value' in line);
  if (lines.length !== given.length || !lines.every(({ label }) => typeof label === 'string')) return undefined;
  return lines.map((line) => ({ label: textOf(line.label), text: 'value' in line ? line.value : line.content }));
}

/** The parts of a name in the order in which they are written, or the full name alone if it is given. Undefined for any other object. */
function namePartsIn(value: unknown): unknown[] | undefined {
  if (!isRecord(value)) return undefined;
  const parts = new Map(Object.entries(value).map(([key, part]) => [toSnakeCase(key), part]));
  const full = parts.get('full_name');
  parts.delete('full_name');
  const isName = full !== undefined || parts.has('first_name') || parts.has('last_name');
  if (!isName || [...parts.keys()].some((part) => !NAME_PARTS.includes(part))) return undefined;
  return full === undefined || full === null || full === ''
    ? NAME_PARTS.map((part) => parts.get(part) ?? null)
    : [full];
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function joinList(value: unknown): string | undefined {
  if (!isList(value)) return undefined;
  return join(value.every(isFileAnswer) ? value.map(({ url }) => url) : value, ', ');
}

/** Joins the values that are not blank. Undefined when a value is neither a text, a number, a boolean nor null. */
function join(parts: unknown[] | undefined, separator: string): string | undefined {
  if (!parts?.every(isScalar)) return undefined;
  const texts = parts.map((part) => String(part ?? '').trim());
  return texts.filter((text) => text !== '').join(separator);
}

function isFileAnswer(value: unknown): value is FileAnswer {
  return isRecord(value) && typeof value.name === 'string' && typeof value.url === 'string';
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
