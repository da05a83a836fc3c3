/** Texts: how they are compared, searched and joined, and durations in words. */

import { textOf } from './json';

/** A text on one line, with single blanks between its words; '' for anything else. */
export function oneLine(value: unknown): string {
  return textOf(value).trim().replace(/\s+/g, ' ');
}

/** Removes what does not matter when texts are compared: case, and the number of blanks. */
export function comparable(value: unknown): string {
  return oneLine(value).normalize().toLowerCase();
}

/**
 * Whether a text contains each of the words, also as a part of another word, in upper or lower case.
 *
 * @param words in lower case, as `searchWords` returns them
 */
export function hasWords(text: unknown, words: string[]): boolean {
  const lower = textOf(text).normalize().toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** The words of a search, in lower case. */
export function searchWords(text = ''): string[] {
  return text.normalize().toLowerCase().match(/\S+/g) ?? [];
}

const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const;

/** A duration in words, rounded up: 90,000 ms are `90 seconds`, 91,000 ms are `2 minutes`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms <= 90 * each) ?? UNITS[3];
  const count = Math.ceil(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Joins sentences with blanks, and leaves out empty ones. */
export function sentences(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
