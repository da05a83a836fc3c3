import type { Row } from '../../nodes/NeetoForm/api/parse';
import { look, type PageQuery } from '../../nodes/NeetoForm/polling/look';

/** Monday, 12:00. */
const NOON = Date.UTC(2026, 2, 2, 12);
const SECOND = 1_000;

const rowsAt = (times: number[]): Row[] => times.map((createdMs, index) => ({ id: `${index}`, createdMs, data: {} }));

/** Looks at a list from noon on, and tells what it was shown, where it said that it was, and what it asked for. */
async function lookAt(pageOf: (query: PageQuery) => { rows: Row[]; total: number }) {
  const queries: PageQuery[] = [];
  const pages: Array<{ ids: string[]; until: number }> = [];
  const readPage = async (query: PageQuery) => {
    queries.push(query);
    return pageOf(query);
  };
  for await (const { rows, until } of look(readPage, NOON)) pages.push({ ids: rows.map(({ id }) => id), until });
  return { queries, pages, ids: [...new Set(pages.flatMap(({ ids }) => ids))] };
}

/** The list of a service that keeps to its interface. */
const listed =
  (rows: Row[]) =>
  ({ after = 0, page }: PageQuery) => {
    const asked = rows.filter(({ createdMs }) => createdMs >= after);
    return { rows: asked.slice((page - 1) * 100, page * 100), total: asked.length };
  };

it('goes by the time of the last row, so that a deletion between two requests hides nothing', async () => {
  const rows = rowsAt(Array.from({ length: 250 }, (_, index) => NOON + index * SECOND));
  const ofAll = listed(rows);
  const ofOthers = listed(rows.slice(50));
  const { ids, queries } = await lookAt((query) => (query.after === NOON ? ofAll(query) : ofOthers(query)));
  expect(ids).toHaveLength(250);
  expect(queries).toEqual([0, 99, 198].map((nth) => ({ after: NOON + nth * SECOND, order: 'asc', page: 1 })));
});

it('goes on with page 2 of a second that fills a page, and then with what is later', async () => {
  const rows = rowsAt([...Array<number>(220).fill(NOON), NOON + SECOND, NOON + 2 * SECOND]);
  const { ids, pages } = await lookAt(listed(rows));
  expect(ids).toHaveLength(222);
  expect(pages.map(({ until }) => until)).toEqual([NOON, NOON, Infinity]);
});

it('goes on behind a second whose rows were deleted while it was read', async () => {
  const rows = rowsAt([...Array<number>(100).fill(NOON), NOON + SECOND]);
  const later = listed(rows.slice(-1));
  const { ids } = await lookAt((query) =>
    query.after === NOON && query.page === 1 ? listed(rows)(query) : later(query),
  );
  expect(ids).toHaveLength(101);
});
