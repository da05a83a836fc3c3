import type { GenericValue, IDataObject } from 'n8n-workflow';
import { isRecord, textOf } from '../json';
import { objectOf } from './columns';

/** A value as n8n's items hold it. */
export type Value = IDataObject | GenericValue | GenericValue[] | IDataObject[];

/** A file in an answer. */
export interface FileAnswer {
  /** '' when the answer does not say. */
  name: string;
  url: string;
}

/**
 * What the kind of a file question may read like, for kinds are not documented (`service-api.md`, "Question"). It decides on texts
 * only: any respondent can type what looks like a file into a question for text, but nobody can choose the question's kind. What is
 * not a text was put together by the service, whatever the kind.
 */
const FILE_KIND = /file|upload|attachment|signature/i;

/**
 * Flattens one answer by its shape, not by its question's kind, for kinds are not documented (`service-api.md`, "Question";
 * shapes: `neetoform-facts.md`, "Values").
 *
 * @returns a phone as its number, an address as an object by label, files as `[{name, url}]`, nothing as null; text, lists and
 *   shapes that are not known as they are
 */
export function flatten(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return filesInText(value) ?? value;
  if (Array.isArray(value)) return filesIn(value) ?? (value as Value[]);
  if (typeof value !== 'object') return value;
  return filesIn(value) ?? phoneIn(value) ?? addressIn(value) ?? value;
}

/** The files in an answer to a question of this kind. */
export function filesAnswered(kind: string, value: unknown): FileAnswer[] {
  const isFileQuestion = FILE_KIND.test(kind);
  if (typeof value === 'string' && !isFileQuestion) return [];
  const flat: unknown = flatten(value);
  const entries: unknown[] = Array.isArray(flat) ? flat : [flat];
  return entries.flatMap((entry) => {
    if (isFileQuestion && typeof entry === 'string' && /^\s*https?:/i.test(entry)) return [{ name: '', url: entry }];
    return isRecord(entry) && typeof entry.name === 'string' && typeof entry.url === 'string'
      ? [{ name: entry.name, url: entry.url }]
      : [];
  });
}

/** Files may come as JSON inside a string. */
function filesInText(text: string): Value | undefined {
  if (!/^\s*(?:\{\s*"files"|\[\s*\{)/.test(text)) return undefined;
  try {
    return filesIn(JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function filesIn(value: unknown): IDataObject[] | undefined {
  const list: unknown = isRecord(value) ? value.files : value;
  if (!Array.isArray(list) || (list.length === 0 && list === value)) return undefined;
  // Any object may have a `url`; in a bare list it takes a name to make it a file.
  const files = list
    .filter(isRecord)
    .filter(({ name, url }) => typeof url === 'string' && (list !== value || typeof name === 'string'));
  if (files.length !== list.length) return undefined;
  return files.map(({ name, url }) => ({ name: textOf(name), url: textOf(url) }));
}

function phoneIn(value: object): string | undefined {
  return isRecord(value) && 'country_name' in value && typeof value.value === 'string' ? value.value : undefined;
}

function addressIn(value: object): IDataObject | undefined {
  if (!isRecord(value) || !Array.isArray(value.address)) return undefined;
  const lines = value.address.filter(isRecord).filter(({ label }) => typeof label === 'string');
  if (lines.length !== value.address.length) return undefined;
  return objectOf(lines.map(({ label, content }) => [textOf(label), content as GenericValue]));
}
