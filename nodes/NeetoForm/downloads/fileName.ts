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

/** A parameter of a header. Its value is in quotes, of which the second may be missing, or ends at the semicolon. */
const PARAMETER = /(?:^|[\s;])([^\s;=]+)\s*=\s*(?:"([^"\\]*(?:\\.[^"\\]*)*)|([^;]*))/gs;

/** How mail writes a part of a name that is not ASCII, such as `=?UTF-8?Q?=C3=9Cbung?=`. Its second part is B for base64. */
const ENCODED_WORD = /=\?([^?\s]+)\?([bq])\?([^?\s]*)\?=\s*/gi;

/** Returns the names in a `Content-Disposition` header. By RFC 6266, `filename*` goes before `filename`. */
function namesIn(disposition: string): string[] {
  const parameters = [...disposition.matchAll(PARAMETER)].map(([, name = '', quoted, plain = '']) => ({
    name: name.toLowerCase(),
    value: quoted?.replace(/\\(.)/gs, '$1') ?? plain,
  }));
  const first = (wanted: string) => parameters.find(({ name, value }) => name === wanted && value !== '')?.value ?? '';
  return [readExtended(first('filename*')), readPlain(first('filename'))];
}

/** Reads a value such as `UTF-8'en'%C3%9Cbung.pdf`. @returns '' when it is none */
function readExtended(value: string): string {
  const [, charset = '', escaped = ''] = /([^']*)'[^']*'(.*)/s.exec(value) ?? [];
  return decodeBytes(toBytes(escaped, /%([\da-f]{2})/gi), charset) ?? '';
}

/** Reads a value as browsers do: servers send UTF-8 and encoded words, too, where HTTP allows only ISO 8859-1. */
function readPlain(value: string): string {
  const words = [...value.matchAll(ENCODED_WORD)];
  if (words.map(([word]) => word).join('') !== value) return decodeBytes(value, 'utf-8') ?? value;
  const [[, charset = ''] = []] = words;
  return decodeBytes(words.map(bytesOfWord).join(''), charset) ?? value;
}

function bytesOfWord([, , kind = '', encoded = '']: RegExpExecArray): string {
  if (kind.toLowerCase() === 'b') return Buffer.from(encoded, 'base64').toString('latin1');
  return toBytes(encoded.replace(/_/g, ' '), /=([\da-f]{2})/gi);
}

/** Replaces escapes by characters that stand for a byte each, which is also how Node.js returns a header. */
function toBytes(text: string, escape: RegExp): string {
  return text.replace(escape, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Decodes a text of which each character stands for a byte. @returns undefined when these bytes are not in the charset, or it is unknown */
function decodeBytes(bytes: string, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
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
