import { textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';

export type Headers = Record<string, unknown>;

const MAX_LENGTH = 200;

/** A file's name from the answer, the server or the address: no path, and no characters that control how text is shown. */
export function fileName({ name, key }: AnsweredFile, headers: Headers, address: string): string {
  const candidates = [name, ...namesIn(textOf(headers['content-disposition'])), decoded(new URL(address).pathname)];
  return candidates.map(plainName).find((candidate) => candidate !== '') ?? key;
}

/** @returns without parameters such as a charset; undefined lets n8n go by the name and the first bytes */
export function mimeType(headers: Headers): string | undefined {
  const [type = ''] = textOf(headers['content-type']).split(';', 1);
  return type.trim().toLowerCase() || undefined;
}

/** RFC 6266: `filename*`, which has an encoding, goes before `filename`. */
function namesIn(disposition: string): string[] {
  const extended = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition)?.[1] ?? '';
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  return [decoded(extended), plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? ''];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function plainName(name: string): string {
  const [last = ''] = name.split(/[/\\]/).slice(-1);
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '').trim();
  if (/^\.*$/.test(visible)) return '';
  const [extension = ''] = /\.[^.\s]{1,20}$/.exec(visible) ?? [];
  const stem = visible.slice(0, visible.length - extension.length).slice(0, MAX_LENGTH - extension.length);
  // The cut must not leave half a character.
  return stem.replace(/[\ud800-\udbff]$/, '') + extension;
}
