import { UserError } from 'n8n-workflow';
import { readSubmissionsPage, unlessPastEnd, type Target } from '../../api/service';
import type { Operation } from '../../execution/operation';
import { incomplete, wrongTotal } from '../../lists/list';
import type { readSubmittedDates } from '../../parameters/listSettings';

/** How often a range is counted while its form changes. */
const MAX_COUNTS = 5;

/**
 * Counts the submissions of a form in a range: the total from `after` on, minus the total from `before` on.
 *
 * If a submission is added between the two requests, only the second total counts it. So the first total is requested again at the end. If it
 * has changed, the range is counted again. An addition and a deletion that balance each other remain unnoticed.
 *
 * @throws NodeApiError when a request fails; UserError when the totals contradict the rows, or the form changed during each count
 */
export async function countRange(
  operation: Pick<Operation, 'get'>,
  target: Target,
  { after, before }: ReturnType<typeof readSubmittedDates>,
): Promise<number> {
  for (let counts = 1; counts <= MAX_COUNTS; counts++) {
    const from = await countFrom(operation, target, after);
    if (before === undefined) return from.total;
    const later = await countFrom(operation, target, before);
    const again = await countFrom(operation, target, after);
    if (again.total !== from.total) continue;
    const count = from.total - later.total;
    // The oldest submission shows whether the range is empty. The totals have to say the same.
    const isEmpty = from.oldestMs === undefined || from.oldestMs >= before;
    if (isEmpty ? count === 0 : count > 0) return count;
    const totals = `has a total of ${from.total} from the lower bound on, and of ${later.total} from the upper bound on`;
    throw wrongTotal('submissions', `${totals}, but shows other rows`);
  }
  throw new UserError('The list of submissions cannot be counted: it was different each time', {
    description: 'Run this again at a quieter time.',
  });
}

async function countFrom({ get }: Pick<Operation, 'get'>, target: Target, after: number | undefined) {
  const readPage = async (page: number) => {
    // A submission that was created more than a second before the bound is refused. Creation times may lack their fraction of a second.
    const asked = { order: 'asc', after, tolerance: 1_000, page, pageSize: 1 } as const;
    return await readSubmissionsPage(get, target, asked);
  };
  for (let tries = 1; tries <= 2; tries++) {
    const { rows, total } = await readPage(1);
    const [oldest] = rows;
    if (oldest === undefined && total > 0) throw incomplete('submissions', 0, total);
    const counted = { total, oldestMs: oldest?.createdMs };
    if (total !== 1) return counted;
    // A page has one row, and the service may count each page alone. Page 2 shows whether there are more.
    const next = await unlessPastEnd(readPage(2));
    const isOnlyRow = next === undefined || next.rows.every(({ id }) => id === oldest?.id);
    if (isOnlyRow) return counted;
    // If the total has grown, a submission was added after page 1 was read, and the second try counts it. Otherwise, the total is wrong.
    if (next.total <= total) break;
  }
  throw wrongTotal('submissions', 'has a total of 1, but shows more rows');
}
