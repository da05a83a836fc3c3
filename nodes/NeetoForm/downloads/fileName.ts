import { textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';

/** The headers of a response, their names in lower case. */
export type Headers = Record<string, unknown>;

/** How many characters a file's name may have. */
const MAX_LENGTH = 200;

/**
 * Chooses a file's name: the one in the answer, else the one that the server gives, else the end of the address, else the file's key. The
 * name has no path, and no characters that control how text is shown, such as those that change the direction of writing.
 */
export function fileName({ name, key }: AnsweredFile, headers: Headers, address: string): string {
  const candidates = [name, ...namesIn(textOf(headers['content-disposition'])), decoded(new URL(address).pathname)];
  return candidates.map(plainName).find((candidate) => candidate !== '') ?? key;
}

/** The type of a file, without parameters such as a charset. Undefined when there is none: n8n then looks at the name and first bytes. */
export function mimeType(headers: Headers): string | undefined {
  const [type = ''] = textOf(headers['content-type']).split(';', 1);
  return type.trim().toLowerCase() || undefined;
}

/** The names in a `Content-Disposition` header, or ''. By RFC 6266, `filename*` goes before `filename`, because it has an encoding. */
function namesIn(disposition: string): string[] {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1] ?? '';
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  return [decoded(extended), plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? ''];
}

/** Resolves `%20` and the like. A text in which they are wrong stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The last part of a path, without control characters, separators of lines, half surrogate pairs, and characters that change the direction of
 * writing. If it is too long, the end of the part before the extension is cut. '' when nothing is left.
 */
function plainName(name: string): string {
  const [last = ''] = name.split(/[/\\]/).slice(-1);
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '').trim();
  if (/^\.*$/.test(visible)) return '';
  const [extension = ''] = /\.[^.\s]{1,20}$/.exec(visible) ?? [];
  const stem = visible.slice(0, visible.length - extension.length).slice(0, MAX_LENGTH - extension.length);
  // Shortening may have cut an emoji, which has two code units, in half: the half at the end is removed.
  return stem.replace(/[\ud800-\udbff]$/, '') + extension;
}
