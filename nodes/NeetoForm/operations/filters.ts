import type { Selection } from '../api/pages';
import { createdMs } from '../api/parse';
import type { Row } from '../api/types';
import { textOf, toText } from '../json';
import type { Call } from './operation';

/**
 * Forms whose title holds all words, in any case. The name of the service's own search parameter is not shown
 * (`service-api.md`, "Forms"), so titles are matched here.
 */
export function byTitle({ context }: Call): Selection | undefined {
  const wanted = toText(context.getNodeParameter('filters.title', '')).toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return undefined;
  const takes = ({ title }: Row) => {
    const text = textOf(title).toLocaleLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return { takes, endsEarly: false, narrows: true };
}

/** Team members with exactly this address: a service that does not know the parameter would list everyone. */
export function byEmail({ context }: Call): Selection | undefined {
  const wanted = toText(context.getNodeParameter('filters.email', '')).trim().toLowerCase();
  if (wanted === '') return undefined;
  return { takes: (row) => textOf(row.email).toLowerCase() === wanted, endsEarly: false, narrows: true };
}

/**
 * Rows created within bounds. Beyond the far bound in the list's order there is nothing more to find, if the service has kept the
 * order.
 *
 * @param after ms, inclusive
 * @param before ms, exclusive; the service's own parameter for it is not shown
 */
export function createdBetween(
  after: number | undefined,
  before: number | undefined,
  order: string,
): Selection | undefined {
  if (after === undefined && before === undefined) return undefined;
  const isAscending = order !== 'desc';
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
