import type { Verdict } from '../api/pages';
import { createdMs } from '../api/read';
import type { Row } from '../api/types';
import { textOf, toText } from '../json';
import type { Call } from './operation';

/** Which rows of a list are wanted, decided on our side. */
export interface Selection {
  judge: (row: Row) => Verdict;
  /** Whether `judge` may end the list before its last page: then pages are not read ahead. */
  endsEarly: boolean;
}

/**
 * Forms whose title holds all words, in any case. The name of the service's own search parameter is not shown
 * (`service-api.md`, "Forms"), so titles are matched here.
 */
export function byTitle({ context }: Call): Selection | undefined {
  const wanted = toText(context.getNodeParameter('filters.title', '')).toLocaleLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return undefined;
  const judge = ({ title }: Row): Verdict => {
    const text = textOf(title).toLocaleLowerCase();
    return wanted.every((word) => text.includes(word)) ? 'take' : 'skip';
  };
  return { judge, endsEarly: false };
}

/** Team members with exactly this address: a service that does not know the parameter would list everyone. */
export function byEmail({ context }: Call): Selection | undefined {
  const wanted = toText(context.getNodeParameter('filters.email', '')).trim().toLowerCase();
  if (wanted === '') return undefined;
  return { judge: (row) => (textOf(row.email).toLowerCase() === wanted ? 'take' : 'skip'), endsEarly: false };
}

/**
 * Rows created within bounds. Beyond the far bound in the list's order there is nothing more to find.
 *
 * @param after ms, inclusive
 * @param before ms, exclusive; the service's own parameter for it is not shown
 */
export function createdBetween(after: number | undefined, before: number | undefined, order: string): Selection | undefined {
  if (after === undefined && before === undefined) return undefined;
  const isAscending = order !== 'desc';
  const judge = (row: Row): Verdict => {
    const created = createdMs(row);
    if (before !== undefined && created >= before) return isAscending ? 'end' : 'skip';
    if (after !== undefined && created < after) return isAscending ? 'skip' : 'end';
    return 'take';
  };
  return { judge, endsEarly: isAscending && before !== undefined };
}
