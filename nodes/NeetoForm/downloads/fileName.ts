import { textOf } from '../json';
import type { AnsweredFile } from '../submissions/toItems';

export type Headers = Record<string, unknown>;

/** The file's name: from the answer, else from the server, else from the address. Never a path. */
export function nameOf({ name, key }: AnsweredFile, headers: Headers, address: string): string {
  const candidates = [name, ...namesIn(textOf(headers['content-disposition'])), decoded(new URL(address).pathname)];
  return candidates.map(withoutPath).find((candidate) => candidate !== '') ?? key;
}

/** Without parameters such as a charset; undefined lets n8n go by the name and the first bytes. */
export function typeOf(headers: Headers): string | undefined {
  return textOf(headers['content-type']).split(';', 1)[0]?.trim().toLowerCase() || undefined;
}

/** RFC 6266: `filename*`, which says its encoding, goes before `filename`. */
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

function withoutPath(name: string): string {
  const [last = ''] = name.split(/[/\\]/).slice(-1);
  return /^\.*$/.test(last.trim()) ? '' : last.replace(/\p{Cc}/gu, '').trim();
}
