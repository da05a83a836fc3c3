import { NodeApiError, type INode } from 'n8n-workflow';

import type { PageAsked } from '../../nodes/NeetoForm/api/service';
import { look } from '../../nodes/NeetoForm/watching/look';
import { pageOf } from './pagedList';

const MINUTE = 60;

/** What a service shows, two rows a page: rows such as `A0 B1`, by the second in which they were created. */
interface Service {
  rows: string;
  /** Changes the rows before a request is answered. @param requests how many there have been, this one included */
  change?: (rows: string, requests: number) => string;
  /** The seconds to which the service rounds the time that is asked for. */
  roundedTo?: number;
  /** What it says is the total. Default: the truth. */
  total?: number;
  /** The number of the page that the service refuses. */
  refused?: number;
  /** The number of the request that is answered with no rows, and a total of 0. */
  empty?: number;
}

const node: INode = { id: 'node', name: 'Trigger', type: 'trigger', typeVersion: 1, position: [0, 0], parameters: {} };

/** Looks from the beginning on. @returns the rows that were shown, the requests as `second` or `second/page`, and the seconds until which they came */
async function lookAt({ rows, change = (same) => same, roundedTo = 1, total, refused, empty }: Service) {
  const requests: string[] = [];
  let there = rows;
  const readPage = async ({ after = 0, page }: PageAsked) => {
    requests.push(page === 1 ? `${after / 1_000}` : `${after / 1_000}/${page}`);
    there = change(there, requests.length);
    if (requests.length === empty) return { rows: [], total: 0, pageSize: 2, isFull: false };
    if (page === refused) throw new NodeApiError(node, { message: 'No such page' }, { httpCode: '404' });
    const from = Math.floor(after / 1_000 / roundedTo) * roundedTo * 1_000;
    const listed = there
      .split(' ')
      .filter(Boolean)
      .map((id) => ({ id, createdMs: Number(id.slice(1)) * 1_000, data: {} }));
    const shown = pageOf(listed, { after: from, page, pageSize: 2 });
    return { rows: shown.rows, total: total ?? shown.total, pageSize: 2, isFull: shown.rows.length === 2 };
  };
  const ids: string[] = [];
  const until: number[] = [];
  for await (const seen of look(readPage, 0)) {
    until.push(seen.until / 1_000);
    for (const { id } of seen.rows) if (!ids.includes(id)) ids.push(id);
  }
  return { shown: ids.join(' '), requests: requests.join(' '), until: until.join(' ') };
}

const atRequest = (number: number, before: string, after: string) => (rows: string, requests: number) =>
  requests === number ? rows.replace(before, after).trim() : rows;

it.each<[promise: string, service: Service, shown: string, requests: string]>([
  ['is over after one request when there is nothing', { rows: '' }, '', '0'],
  ['begins each request at the second of the last row', { rows: 'A0 B1 C2 D3' }, 'A0 B1 C2 D3', '0 1 2 3'],
  [
    'shows the row after a page, of which another row is deleted meanwhile',
    { rows: 'A0 B1 C2 D3', change: atRequest(2, 'A0', '') },
    'A0 B1 C2 D3',
    '0 1 2 3',
  ],
  ['requests the pages of a second that fills one, twice', { rows: 'A0 B0 C0 D1' }, 'A0 B0 C0 D1', '0 0/2 0 0/2 1'],
  [
    'finds the second that fills a page, long after its beginning',
    { rows: 'A5 B5 C5 D6' },
    'A5 B5 C5 D6',
    '0 5/2 5 5/2 6',
  ],
  [
    'shows the rest of a second that a page of the one before has begun',
    { rows: 'A0 B0 C1 D1 E1' },
    'A0 B0 C1 D1 E1',
    '0 0/2 0 0/2 1 1/2 1 1/2',
  ],
  ['ends with a second that fills its last page', { rows: 'A0 B0' }, 'A0 B0', '0 0/2 0 0/2'],
  ['ends when the service refuses a page past its end', { rows: 'A0 B0', refused: 2 }, 'A0 B0', '0 0/2 0 0/2'],
  ['ends with a page that shows nothing new, whatever the total', { rows: 'A0 B1', total: 9 }, 'A0 B1', '0 1'],
  ['ends with an empty page, whatever the total', { rows: 'A0', total: 9 }, 'A0', '0 0/2 1'],
  [
    'reads a second that fills a page until nothing new appears, because a deletion may hide a row',
    { rows: 'A0 B0 C0 D1 E2', change: atRequest(2, 'A0', '') },
    'A0 B0 D1 E2 C0',
    '0 0/2 0 0/2 0 0/2 2',
  ],
  [
    'goes on when the service refuses a page past the end of what a deletion left',
    { rows: 'A0 B0 C0 D0 E0', change: atRequest(2, 'A0', ''), refused: 3 },
    'A0 B0 D0 E0 C0',
    '0 0/2 0/3 0 0/2 0/3 0 0/2 0/3',
  ],
  [
    'goes on behind a second of which a page is empty, with a total of 0',
    { rows: 'A0 B0 C0 D1', empty: 4 },
    'A0 B0 C0 D1',
    '0 0/2 0 0/2 1',
  ],
  [
    'begins a second again when one of its pages shows nothing new',
    { rows: 'A0 B0 C0 D0 E0 F0 G5', change: atRequest(3, 'A0 B0 C0 D0 E0 F0', 'C0 D0 E0 F0 A0 B0') },
    'A0 B0 C0 D0 E0 F0 G5',
    '0 0/2 0/3 0 0/2 0/3 0/4 0 0/2 0/3 0/4',
  ],
  [
    'begins a second again when one of its pages shows what the page before has shown',
    { rows: 'A0 B0 C0 D0 E0 F0 G5', change: atRequest(3, 'C0 D0 E0 F0', 'E0 F0 C0 D0') },
    'A0 B0 C0 D0 E0 F0 G5',
    '0 0/2 0/3 0 0/2 0/3 0/4 0 0/2 0/3 0/4',
  ],
  [
    'ends when the rest of a second is deleted',
    { rows: 'A0 B0 C0', change: atRequest(2, 'C0', '') },
    'A0 B0',
    '0 0/2 0 0/2',
  ],
  [
    'goes on behind rows that rounding shows again',
    { rows: 'A0 B1 C2', roundedTo: MINUTE },
    'A0 B1 C2',
    '0 1 1/2 1 1/2',
  ],
  ['ends with rows that rounding shows again', { rows: 'A0 B1', roundedTo: MINUTE }, 'A0 B1', '0 1'],
])('%s', async (_promise, service, shown, requests) => {
  expect(await lookAt(service)).toMatchObject({ shown, requests });
});

it('has shown a second to its end after one reading, in case the time ends during the next one', async () => {
  const { requests, until } = await lookAt({ rows: 'A0 B0 C0 D1' });
  expect({ requests, until }).toEqual({ requests: '0 0/2 0 0/2 1', until: '0 0 1 1 1 Infinity' });
});

it.each(['A0 B0', 'A0 B0 C0'])('refuses a list that ends before its total, with %s', async (rows) => {
  await expect(lookAt({ rows, total: 9 })).rejects.toThrow('the list of submissions ends before its total');
});

it('fails when the service refuses a page that must exist', async () => {
  await expect(lookAt({ rows: 'A0 B0 C0', refused: 2 })).rejects.toThrow(NodeApiError);
});

it("refuses a list that ignores 'page'", async () => {
  const change = (rows: string, requests: number) => (requests === 2 ? `X9 Y9 ${rows}` : rows);
  await expect(lookAt({ rows: 'A0 B0 C0', change })).rejects.toThrow("the list of submissions ignores 'page'");
});
