import type { IDataObject } from 'n8n-workflow';
import { textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';

const MAX_LENGTH = 200;

/** Chooses a file's name: from the answer, else from the server's headers, else from the end of the address, else the file's key. */
export function fileName({ name, key }: AnsweredFile, headers: IDataObject, address: string): string {
  const candidates = [name, ...namesIn(textOf(headers['content-disposition'])), decoded(new URL(address).pathname)];
  return candidates.map(plainName).find((candidate) => candidate !== '') ?? key;
}

/** Returns a file's type without its charset. If it is undefined, n8n looks at the name and the first bytes. */
export function mimeType(headers: IDataObject): string | undefined {
  const [type = ''] = textOf(headers['content-type']).split(';', 1);
  return type.trim().toLowerCase() || undefined;
}

/** Returns the names in a `Content-Disposition` header, '' for a missing one. By RFC 6266, `filename*` goes before `filename`. */
function namesIn(disposition: string): string[] {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1] ?? '';
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  return [decoded(extended), plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? ''];
}

/** Resolves escapes such as `%20`. A text with a wrong escape stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The last part of a path, without invisible characters, such as those that change the direction of writing. A long name is shortened in front of
 * its extension.
 */
function plainName(name: string): string {
  const [last = ''] = name.split(/[/\\]/).slice(-1);
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '').trim();
  if (/^\.*$/.test(visible)) return '';
  const [extension = ''] = /\.[^.\s]{1,20}$/.exec(visible) ?? [];
  const stem = visible.slice(0, visible.length - extension.length).slice(0, MAX_LENGTH - extension.length);
  // Removes the half of an emoji that `slice` has cut.
  return stem.replace(/[\ud800-\udbff]$/, '') + extension;
}
