import { setImmediate as nextTurn } from 'node:timers/promises';
import { UserError, type IDataObject } from 'n8n-workflow';

import { systemClock } from '../../nodes/NeetoForm/api/clock';
import type { List } from '../../nodes/NeetoForm/lists/list';
import type { Row } from '../../nodes/NeetoForm/api/parse';
import { readList } from '../../nodes/NeetoForm/lists/readList';
import { findSlice } from '../../nodes/NeetoForm/lists/slice';
import { pageOf, pagesFrom } from './pagedList';

// Which pages of a list are requested, and what is made of totals that its rows deny.

const START = Date.parse('2026-02-09T08:00:00Z');
const at = (index: number) => START + index * 1_000;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index): number => from + index);

type Said = (page: { shown: number; total: number; number: number }) => IDataObject;

/** A list of rows that are created a second apart, and what it does differently. */
interface Service {
  rows: number;
  /** What it says of a page. Default: the truth. */
  says?: Said;
  /** Whether it shows all rows on each page. */
  isWhole?: boolean;
  /** Whether its rows have other IDs with each response. */
  isRenewed?: boolean;
  /** Rows of a page. Default: as many as are asked for. */
  pageSize?: number;
  /** The page that it shows in place of the one that was asked for. */
  shows?: (number: number) => number;
}

type Wish = Partial<List<number>>;

/** Numbers of the pages that were requested, `beyond` for those behind the upper bound. */
type Pages = Array<number | 'beyond'>;

/** ms between two reads of the list that was read last. */
let waits: number[];

async function read(service: Service, wish: Wish = {}): Promise<{ pages: Pages; outcome: number[] | string }> {
  const { says, isWhole = false, isRenewed = false, pageSize: most = 100, shows = (nth: number) => nth } = service;
  const pages: Pages = [];
  const readPage = pagesFrom(async (asked) => {
    const { after = START, page: number } = asked;
    pages.push(wish.before !== undefined && after === wish.before ? 'beyond' : number);
    const pageSize = isWhole ? service.rows : Math.min(most, asked.pageSize);
    const rows = range(0, service.rows).map((index) => ({ id: `${index}`, createdMs: at(index), data: {} }));
    const shown = pageOf(rows, { ...asked, page: shows(number), pageSize });
    const truth = { total_records: shown.total, current_page_number: shows(number), page_size: pageSize };
    const said = says?.({ shown: shown.rows.length, total: shown.total, number });
    const renewed = shown.rows.map((row) => ({ ...row, id: `${isRenewed ? pages.length : ''}${row.id}` }));
    return await Promise.resolve({
      rows: renewed,
      pagination: { ...truth, ...said },
      serverTime: at(service.rows + 60),
    });
  });
  const resultOf = ({ id }: Row) => Number(id);
  waits = [];
  const sleep = async (ms: number) => {
    await Promise.resolve(waits.push(ms));
  };
  const clock = { ...systemClock, sleep };
  const reading = readList({ key: 'submissions', order: 'asc', readPage, resultOf, ...wish }, clock);
  const outcome = await reading.catch((error: unknown) => {
    if (error instanceof UserError) {
      expect(error.description).toMatch(/report what you requested|narrow/);
      const saysBothCauses =
        /changes while.*quieter time.*filters or a limit.*total is wrong.*Nothing was returned/.test(
          error.description ?? '',
        );
      expect(saysBothCauses).toBe(error.message.includes('cannot be read completely'));
    }
    return error instanceof Error ? error.message : String(error);
  });
  return { pages, outcome };
}

const smallPages: Service = { rows: 90, pageSize: 30, says: () => ({ page_size: null }) };
const newestBefore = (index: number, limit?: number): Wish => ({ order: 'desc', before: at(index), limit });
const newest = (from: number, to: number) => range(from, to).reverse();

const countsPage: Said = ({ shown }) => ({ total_records: shown });
const countsPagesSoFar: Said = ({ shown, number }) => ({ total_records: (number - 1) * 100 + shown });
const isOver =
  (more: number): Said =>
  ({ total }) => ({ total_records: total + more });
const hidesNumber: Said = () => ({ current_page_number: null });

const IGNORES_PAGE = "The list of submissions ignores 'page'";
const TOO_LONG = 'The list is too long for one input item: 120001 results';
const incomplete = (shown: number, total: number) =>
  `The list of submissions cannot be read completely: it shows ${shown} of ${total} rows`;

it.each<[what: string, service: Service, wish: Wish, pages: Pages, outcome: number[] | string]>([
  ['an empty list', { rows: 0 }, {}, [1], []],
  ['a page that is not full', { rows: 99 }, {}, [1], range(0, 99)],
  ['a full page, which may not be all', { rows: 100 }, {}, [1, 2], range(0, 100)],
  ['a full page that is all that is wanted', { rows: 100 }, { limit: 100 }, [1], range(0, 100)],
  ['two full pages of a range', { rows: 200 }, newestBefore(150), [1, 'beyond', 2, 3], newest(0, 150)],
  ['pages up to the limit', { rows: 1_000 }, { limit: 101 }, [1, 2], range(0, 101)],
  ['pages of fewer rows, which the service does not say', smallPages, {}, [1, 2, 3, 4], range(0, 90)],
  ['a lower bound that the service rounds', { rows: 250 }, { after: at(100) + 500 }, [1, 2], range(101, 250)],
  ['an upper bound', { rows: 1_000 }, { before: at(150) }, [1, 'beyond', 2], range(0, 150)],
  ['an upper bound behind the list', { rows: 150 }, { before: at(150) }, [1, 'beyond', 2], range(0, 150)],
  ['an upper bound on the only page', { rows: 100 }, { before: at(50) }, [1, 'beyond'], range(0, 50)],
  ['an upper bound on a page that is not full', { rows: 80 }, { before: at(50) }, [1, 'beyond'], range(0, 50)],
  [
    'rows that match, to the limit',
    { rows: 400 },
    { matches: ({ id }) => Number(id) >= 150, limit: 10 },
    [1, 2, 3, 4],
    range(150, 160),
  ],
  [
    'two bounds, the upper one between two pages',
    { rows: 999 },
    { after: at(100), before: at(300) },
    [1, 'beyond', 2, 3],
    range(100, 300),
  ],
  ['the newest before the end of a page', { rows: 300 }, newestBefore(100), [1, 'beyond', 2, 3, 4], newest(0, 100)],
  [
    'the newest before an upper bound, to a limit',
    { rows: 999 },
    newestBefore(550, 20),
    [1, 'beyond', 5],
    newest(530, 550),
  ],
  ['a list that comes in one piece', { rows: 230, isWhole: true, shows: () => 1 }, {}, [1], range(0, 230)],
  ['a total that counts the page, and is lower on page 2', { rows: 130, says: countsPage }, {}, [1, 2], range(0, 130)],
  ['a total that counts the page, of a single page', { rows: 100, says: countsPage }, {}, [1, 2], range(0, 100)],
  ['a total that counts the pages so far', { rows: 230, says: countsPagesSoFar }, {}, [1, 2, 3], range(0, 230)],
  [
    'a total that counts the pages so far, up to a bound that is shown',
    { rows: 230, says: countsPagesSoFar },
    { before: at(150) },
    [1, 'beyond', 2],
    range(0, 150),
  ],
  ['more rows than n8n can take', { rows: 120_001 }, {}, [1], TOO_LONG],
  ['more rows than n8n can take, of which some are wanted', { rows: 120_001 }, { limit: 150 }, [1, 2], range(0, 150)],
  ['more rows than n8n can take after a range', { rows: 120_001 }, { before: at(50) }, [1, 'beyond'], range(0, 50)],
  ['a total that is too low', { rows: 230, says: isOver(-1) }, {}, [1, 2, 3], range(0, 230)],
  ['a total that is too high on a single page', { rows: 1, says: isOver(1) }, {}, [1, 1, 1], incomplete(1, 2)],
  [
    'a total that is too high on a single page with an upper bound',
    { rows: 25, says: isOver(5) },
    { before: at(20) },
    [1, 'beyond', 1, 'beyond', 1, 'beyond'],
    incomplete(25, 30),
  ],
  ['a total, but no rows', { rows: 20, shows: () => 2, says: hidesNumber }, {}, [1, 1, 1], incomplete(0, 20)],
  ['a total that is too high', { rows: 230, says: isOver(5) }, {}, [1, 2, 3, 1, 2, 3, 1, 2, 3], incomplete(230, 235)],
  [
    'a total that is always lower on page 2, as if rows had moved',
    { rows: 130, says: ({ total, number }) => ({ total_records: total - number + 1 }) },
    {},
    [1, 2, 1, 2, 1, 2],
    incomplete(129, 130),
  ],
  ['the first page again and again', { rows: 230, shows: () => 1, says: hidesNumber }, {}, [1, 2, 3], IGNORES_PAGE],
  ['its last page behind the end, and its number', { rows: 100, shows: () => 1 }, {}, [1, 2], range(0, 100)],
])('%s: the pages that are requested, and the outcome', async (_what, service, wish, pages, outcome) => {
  expect(await read(service, wish)).toEqual({ pages, outcome });
});

it.each([
  [201, 2],
  [100, 1],
])(
  'reads %i rows again when one is deleted after page %i and its last page is shown behind the end',
  async (rows, page) => {
    const service: Service = {
      rows,
      shows: (number) => Math.min(number, Math.ceil(service.rows / 100)),
      says: ({ number }) => {
        if (number === page) service.rows = rows - 1;
        return {};
      },
    };
    expect((await read(service)).outcome).toEqual(range(0, rows - 1));
  },
);

it('reads three times at most, a second apart', async () => {
  const { pages, outcome } = await read({ rows: 30, says: isOver(5), isRenewed: true });
  expect(pages).toEqual([1, 1, 1]);
  expect(outcome).toBe(incomplete(30, 35));
  expect(waits).toEqual([1_000, 1_000]);
});

it('refuses more results than n8n can take when they are read, because a filter could have left fewer', async () => {
  const { outcome } = await read({ rows: 120_001, isWhole: true }, { matches: () => true });
  expect(outcome).toBe('The list is too long for one input item: more than 120000 results');
  expect((await read({ rows: 120_000, isWhole: true })).outcome).toHaveLength(120_000);
  expect((await read({ rows: 120_001, isWhole: true }, { limit: 10 })).outcome).toHaveLength(10);
});

it.each([
  ['at the same time', 500, 500],
  ['first', 500, 501],
  // A response may be dated a second later than its rows were counted.
  ['last', 501, 500],
])('does not count a row beyond the upper bound that may be newer than page 1, answered %s', async (_, one, other) => {
  const rowsAt = (indexes: number[]): Row[] =>
    indexes.map((index) => ({ id: `${index}`, createdMs: at(index), data: {} }));
  const first = { pageSize: 100, serverTime: at(one), rows: rowsAt(range(0, 100)), total: 200, isFull: true };
  // Of the rows from 150 on, newest first, the first one was added in the second of the earlier response.
  const rows = rowsAt([500, ...range(150, 200).reverse()]);
  const counted = { pageSize: 100, serverTime: at(other), rows, total: 51, isFull: false };
  const readPage: List<Row>['readPage'] = async ({ after }) =>
    await Promise.resolve(after === undefined ? first : counted);
  const list: List<Row> = { key: 'submissions', order: 'asc', before: at(150), readPage, resultOf: (row) => row };
  expect(await findSlice(list, new AbortController().signal)).toMatchObject({ beyond: 50, expected: 150 });
});

it('requests the page behind the end of a list of full pages together with the others', async () => {
  let [inFlight, most] = [0, 0];
  const all = range(0, 200).map((index) => ({ id: `${index}`, createdMs: at(index), data: {} }));
  const readPage = pagesFrom(async (asked) => {
    most = Math.max(most, ++inFlight);
    await nextTurn();
    inFlight--;
    const { rows, total } = pageOf(all, asked);
    return { rows, pagination: { total_records: total }, serverTime: at(500) };
  });
  const list: List<Row> = { key: 'submissions', order: 'asc', readPage, resultOf: (row) => row };
  expect(await readList(list)).toHaveLength(200);
  expect(most).toBe(2);
});
