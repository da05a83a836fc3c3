import { textOf } from '../json';
import { orderField } from '../fields/paging';
import type { FieldReader } from '../fields/reader';

/** The order of a list by creation time. @throws UserError when it is neither of the two */
export function orderOf(read: FieldReader): 'desc' | 'asc' {
  return read.within('sort').option(orderField);
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
