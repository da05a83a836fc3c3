import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object, but neither null nor a list. */
export function isRecord(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An ID as a text: the service may give it as a text or a number. '' for anything else. */
export function idText(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** The value if it is a text, else ''. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A text on one line, with single blanks between its words; '' for anything else. */
export function oneLine(value: unknown): string {
  return textOf(value).trim().replace(/\s+/g, ' ');
}

/** Removes what does not matter when texts are compared: case, and the number of blanks. */
export function comparable(value: unknown): string {
  return oneLine(value).normalize().toLowerCase();
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The value of a JSON text; the text itself when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Leaves out each item whose key is that of an earlier item. */
export function uniqueBy<T>(items: T[], keyOf: (item: T) => string): T[] {
  const first = new Map<string, T>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return [...first.values()];
}

/** Whether a text contains all words, in upper or lower case. @param words in lower case, as `searchWords` returns them */
export function hasWords(text: unknown, words: string[]): boolean {
  const lower = textOf(text).normalize().toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The words of a search, in lower case. */
export function searchWords(text = ''): string[] {
  return text.normalize().toLowerCase().match(/\S+/g) ?? [];
}
