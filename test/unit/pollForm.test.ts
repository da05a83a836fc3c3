import type { Row } from '../../nodes/NeetoForm/api/parse';
import { initialCursor, pollForm } from '../../nodes/NeetoForm/polling/pollForm';
import type { ReadingSession } from '../../nodes/NeetoForm/polling/readSince';
import type { PageQuery } from '../../nodes/NeetoForm/polling/session';
import { placeholderNode } from '../support/engine/workflow';

const SECOND = 1_000;
const LOOKBACK = 60 * SECOND;
const NOW = Date.UTC(2026, 2, 1);

let rows: Row[];
let asked: PageQuery[];
/** What happens before a response, by the number of its request. */
let onRequest: (number: number) => void;
let isTimeUp: boolean;

beforeEach(() => {
  [rows, asked, onRequest, isTimeUp] = [[], [], () => undefined, false];
});

const session: ReadingSession = {
  get isTimeUp() {
    return isTimeUp;
  },
  context: {
    getNode: () => placeholderNode(),
  },
  readSubmissions: async (_formId, query) => {
    onRequest(asked.push(query));
    const { after = -Infinity, order, page } = query;
    const shown = rows
      .filter((row) => row.createdMs >= after)
      .toSorted((a, b) => (order === 'asc' ? a.createdMs - b.createdMs : b.createdMs - a.createdMs));
    const onPage = shown.slice((page - 1) * 100, page * 100);
    return await Promise.resolve({ rows: onPage, total: shown.length, serverTime: NOW });
  },
  parse: async (_subject, read) => await read(),
};

/** So many submissions, each `stepMs` after the one before. The last one was created `ageMs` ago. */
const submit = (count: number, stepMs: number, ageMs = 0) => {
  for (let index = count - 1; index >= 0; index--)
    rows.push({ id: `id-${rows.length}`, createdMs: NOW - ageMs - index * stepMs, data: {} });
};
const idsOf = (given: Row[]) => given.map(({ id }) => id);

describe('reading a form from its cursor', () => {
  const cursor = { watermark: NOW - 3_600 * SECOND, seenIds: new Map() };
  const read = async (quota = Infinity, from = session) => {
    const { batch, ...rest } = await pollForm(from, 'form', cursor, { quota, lookbackMs: 0 });
    return { ...rest, ids: idsOf(batch.submissions()), watermark: batch.cursor().watermark };
  };

  it.each([SECOND, 0])('loses nothing when the time is up (a submission every %d ms)', async (stepMs) => {
    submit(450, stepMs, SECOND);
    for (const requests of [1, 2, 3, 4, 5]) {
      asked = [];
      isTimeUp = false;
      onRequest = (number) => (isTimeUp = number >= requests);
      const { isComplete, failure, ids, watermark } = await read();
      expect([isComplete, failure]).toEqual([ids.length === rows.length, undefined]);
      expect(ids).toEqual(idsOf(rows.slice(0, ids.length)));
      const missed = rows.slice(ids.length).map(({ createdMs }) => createdMs);
      expect(watermark).toBeLessThanOrEqual(Math.min(...missed));
      expect(asked.length).toBeLessThanOrEqual(8);
    }
  });

  it('says that the pages contradict each other when they repeat a second and promise more of it', async () => {
    submit(100, 0, SECOND);
    const readSubmissions: ReadingSession['readSubmissions'] = async (formId, query) => {
      const { rows: shown, ...page } = await session.readSubmissions(formId, { ...query, page: 1 });
      const onPage = [shown, shown.toReversed()][query.page - 1] ?? [];
      return { ...page, rows: onPage, total: 1_000 };
    };
    const { failure, ids, isComplete } = await read(Infinity, { ...session, readSubmissions });
    expect(`${failure?.message} ${failure?.description}`).toContain('because the pages contradict each other');
    expect([ids, isComplete]).toEqual([idsOf(rows), false]);
  });
});

describe('the cursor of a form of which nothing is known', () => {
  const start = async () => await initialCursor(session, 'form', LOOKBACK);

  it('begins with everything when there is nothing yet', async () => {
    expect(await start()).toEqual({ watermark: 0, seenIds: new Map() });
  });

  it.each<[what: string, count: number, stepMs: number, known: number, requests: number]>([
    ['a single one', 1, 0, 1, 1],
    ['all of a page', 100, 100, 100, 1],
    ['some of a page', 200, SECOND, 61, 1],
    ['some of a page that reaches back just as far', 200, LOOKBACK / 99, 100, 3],
    ['more than a page', 250, 100, 250, 4],
  ])('knows what was created within the look-back before the newest: %s', async (_, count, stepMs, known, requests) => {
    submit(count, stepMs, SECOND);
    const cursor = await start();
    expect(cursor?.watermark).toBe(NOW - SECOND - LOOKBACK);
    expect([...(cursor?.seenIds.keys() ?? [])].toSorted()).toEqual(idsOf(rows.slice(-known)).toSorted());
    expect(asked).toHaveLength(requests);
  });

  it('begins before the time of the service when the newest is dated ahead', async () => {
    submit(2, LOOKBACK, -LOOKBACK);
    expect((await start())?.watermark).toBe(NOW - LOOKBACK);
  });

  it('does not know what arrives while it is read', async () => {
    submit(250, 100, SECOND);
    const present = idsOf(rows);
    onRequest = (number) => number === 2 && submit(1, 0);
    expect([...((await start())?.seenIds.keys() ?? [])].toSorted()).toEqual(present.toSorted());
  });

  it('is not found when the time is up, before the first request or later', async () => {
    submit(250, 100, SECOND);
    onRequest = () => (isTimeUp = true);
    expect([await start(), asked.length]).toEqual([undefined, 1]);
    expect([await start(), asked.length]).toEqual([undefined, 1]);
  });
});
