import { textOf } from '../json';
import { requireOption } from '../parameters';
import type { ParameterReader } from './operation';

/** The order of a list by creation time. @throws UserError when it is neither of the two */
export function orderOf(parameter: ParameterReader['parameter']): 'desc' | 'asc' {
  return requireOption('Order', parameter('sort.order', 'desc'), ['desc', 'asc']);
}

/** Whether a title holds all words, in any case. */
export function hasWords(title: unknown, words: string[]): boolean {
  const text = textOf(title).toLocaleLowerCase();
  return words.every((word) => text.includes(word));
}

/** The words of a search, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLocaleLowerCase().match(/\S+/g) ?? [];
}
