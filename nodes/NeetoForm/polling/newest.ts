import { readAll } from '../api/completeList';
import { PAGE_SIZE } from '../api/endpoints';
import type { Row } from '../api/parse';
import type { ReadPage } from './looks';
import { tooSlow } from './messages';
import type { PollSession } from './session';

/**
 * The newest page of a service that ignores the order, newest first: the whole list tells.
 *
 * @throws NodeApiError when it cannot be read, or not in the time of a poll
 */
export async function readNewest(session: PollSession, formId: string, readPage: ReadPage): Promise<Row[]> {
  const list = {
    readPage: async (page: number, signal?: AbortSignal) => await readPage({ order: 'desc', page }, signal),
    pick: (row: Row) => row,
  };
  const { results, isComplete } = await session.parse(
    session.formSubject(formId),
    async () => await readAll(list, { mayContinue: () => !session.isTimeUp }),
  );
  if (!isComplete) throw tooSlow(session, "the form's newest submissions");
  return results.sort((a, b) => b.createdMs - a.createdMs).slice(0, PAGE_SIZE);
}
