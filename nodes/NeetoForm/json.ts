import type { IDataObject } from 'n8n-workflow';

/** Whether a value from outside is a JSON object. */
export function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text, or a number as text, for an expression may give an ID as a number; else ''. */
export function toText(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** The value if it is text, else ''. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Text on one line, with single blanks between its words; '' for anything else. */
export function oneLine(value: unknown): string {
  return textOf(value).trim().replace(/\s+/g, ' ');
}

/** What two texts have in common that differ in case or blanks only. */
export function comparable(value: unknown): string {
  return oneLine(value).toLocaleLowerCase();
}

/** The value if it is a number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** What a JSON text holds; the text itself when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Whether a text holds all words, in any case. */
export function hasWords(text: unknown, words: string[]): boolean {
  const lower = textOf(text).toLocaleLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The words of a search, in lower case. */
export function wordsOf(text = ''): string[] {
  return text.toLocaleLowerCase().match(/\S+/g) ?? [];
}
