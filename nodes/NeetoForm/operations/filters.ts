import type { Selection } from '../api/pages';
import { createdMs } from '../api/parse';
import type { Row } from '../api/types';
import { textOf } from '../json';
import { requireOption } from '../parameters';
import type { OperationRun } from './defineOperation';

/** The order of a list by creation time. @throws UserError when it is neither of the two */
export function orderOf(parameter: OperationRun['parameter']): 'desc' | 'asc' {
  return requireOption('Order', parameter('sort.order', 'desc'), ['desc', 'asc']);
}

/** Only the rows that match; any may follow any other. */
export function matching(matches: (row: Row) => boolean): Selection {
  return { takes: matches, endsEarly: false, narrows: true };
}

/** Whether a title holds all words, in any case. */
export function hasWords(title: unknown, words: string[]): boolean {
  const text = textOf(title).toLocaleLowerCase();
  return words.every((word) => text.includes(word));
}

/** The words of a search, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * Rows created within bounds. Beyond the far bound in the list's order there is nothing more to find, if the service has kept the
 * order.
 *
 * @param after ms, inclusive
 * @param before ms, exclusive; the service's own parameter for it is not documented
 */
export function createdBetween(
  after: number | undefined,
  before: number | undefined,
  order: 'asc' | 'desc',
): Selection | undefined {
  if (after === undefined && before === undefined) return undefined;
  const isAscending = order === 'asc';
  const isTooEarly = (created: number) => after !== undefined && created < after;
  const isTooLate = (created: number) => before !== undefined && created >= before;
  return {
    takes: (row) => !isTooEarly(createdMs(row)) && !isTooLate(createdMs(row)),
    isPast: (rows) => {
      const times = rows.map(createdMs);
      const last = times.at(-1) ?? NaN;
      return (isAscending ? isTooLate(last) : isTooEarly(last)) && isInOrder(times, isAscending);
    },
    endsEarly: isAscending && before !== undefined,
    narrows: before !== undefined,
  };
}

function isInOrder(times: number[], isAscending: boolean): boolean {
  return times.every((time, index) => {
    const previous = times[index - 1] ?? time;
    return isAscending ? previous <= time : previous >= time;
  });
}
