import fc from 'fast-check';

import { collectAll, collectSome, type PageReader, type Selection } from '../../nodes/NeetoForm/api/pages';
import { UnexpectedResponse } from '../../nodes/NeetoForm/api/shape';
import type { Page, Row } from '../../nodes/NeetoForm/api/types';

const everyRow: Selection = { takes: () => true, endsEarly: false, narrows: false };
const START = Date.parse('2026-02-09T08:00:00Z');

const rowAt = (ms: number, id: string): Row => ({ id, created_at: new Date(ms).toISOString() });
const noCheck = () => undefined;
const whole = (row: Row) => row;

/** A list of a service that is changed while it is read. */
class ChangingList {
  now = START + 400;

  readonly asked: number[] = [];

  private made = 0;

  readonly rows: Row[];

  private readonly order: string;

  private readonly pageSize: number;

  /** What changes before each answer: so many rows are deleted, from these places, and so many added. */
  changes: Array<{ deleted: number[]; added: number }> = [];

  constructor(rows: Row[], order: string, pageSize: number) {
    this.rows = rows;
    this.order = order;
    this.pageSize = pageSize;
  }

  readonly read: PageReader = async (page) => {
    const change = this.changes[this.asked.length];
    this.asked.push(page);
    // The answer is made when the request arrives, and comes in later.
    const answer = this.answer(page, change);
    await Promise.resolve();
    return answer;
  };

  private answer(page: number, change?: { deleted: number[]; added: number }): Page {
    for (const place of change?.deleted ?? []) this.rows.splice(place % Math.max(1, this.rows.length), 1);
    for (let count = change?.added ?? 0; count > 0; count--) this.rows.push(rowAt(this.now, `new-${this.made++}`));
    this.now += 137;
    const listed = this.order === 'asc' ? this.rows : [...this.rows].reverse();
    return {
      rows: listed.slice((page - 1) * this.pageSize, page * this.pageSize),
      total: this.rows.length,
      serverTime: Math.floor(this.now / 1000) * 1000,
    };
  }
}

const changes = fc.array(fc.record({ deleted: fc.array(fc.nat(), { maxLength: 3 }), added: fc.nat({ max: 3 }) }), {
  maxLength: 12,
});

describe('reading every page', () => {
  it('gives every row that was there all the time, and none twice, whatever is deleted and added meanwhile', async () => {
    await fc.assert(
      // A page always holds more rows than come in between two answers: else it looks like the page before.
      fc.asyncProperty(
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 5, max: 20 }),
        fc.constantFrom('asc', 'desc'),
        changes,
        async (count, pageSize, order, planned) => {
          const list = new ChangingList(
            Array.from({ length: count }, (_, index) => rowAt(START - (count - index) * 1000, `old-${index}`)),
            order,
            pageSize,
          );
          const atFirst = list.rows.map(({ id }) => id);
          list.changes = planned;
          const given = (await collectAll(list.read, everyRow, noCheck, whole)).map(({ id }) => id);
          const now = new Set(list.rows.map(({ id }) => id));
          expect(new Set(given).size).toBe(given.length);
          expect(atFirst.filter((id) => now.has(id) && !given.includes(id))).toEqual([]);
        },
      ),
      {
        numRuns: 2000,
        examples: [
          [
            30,
            10,
            'asc',
            [
              { deleted: [], added: 0 },
              { deleted: [0], added: 1 },
            ],
          ],
          [
            4,
            5,
            'desc',
            [
              { deleted: [], added: 2 },
              { deleted: [0, 0, 0], added: 3 },
            ],
          ],
        ],
      },
    );
  });

  it('gives the rows in the order of the service when nothing changes, each page asked for once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }), async (count, pageSize) => {
        const list = new ChangingList(
          Array.from({ length: count }, (_, index) => rowAt(START - (count - index) * 1000, `old-${index}`)),
          'asc',
          pageSize,
        );
        expect(await collectAll(list.read, everyRow, noCheck, whole)).toEqual(list.rows);
        expect(list.asked).toEqual(
          Array.from({ length: Math.max(1, Math.ceil(count / pageSize)) }, (_, index) => index + 1),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('has at most four pages under way', async () => {
    let underWay = 0;
    let most = 0;
    const read: PageReader = async (page) => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return { rows: [rowAt(START, `row-${page}`)], total: 30 };
    };
    expect(await collectAll(read, everyRow, noCheck, whole)).toHaveLength(30);
    expect(most).toBe(4);
  });

  it('goes on with the next pages while a slow one is awaited, but not further than eight', async () => {
    const asked: number[] = [];
    let answerSlowOne = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      answerSlowOne = resolve;
    });
    const read: PageReader = async (page) => {
      asked.push(page);
      if (page === 2) await slow;
      return { rows: [rowAt(START, `row-${page}`)], total: 30 };
    };
    const reading = collectAll(read, everyRow, noCheck, whole);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    answerSlowOne();
    expect((await reading).map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => `row-${index + 1}`));
  });

  it('keeps of each row only what it is told to, and asks what to keep of no row twice or in vain', async () => {
    const heard: string[] = [];
    const read: PageReader = async (page) => ({
      rows: [rowAt(START, `a-${page}`), rowAt(START, `b-${page}`), rowAt(START, `a-${page}`)],
      total: 4,
    });
    const justA: Selection = { ...everyRow, takes: ({ id }) => id.startsWith('a'), narrows: true };
    const keep = ({ id }: Row) => {
      heard.push(id);
      return { name: id };
    };
    expect(await collectAll(read, justA, noCheck, keep)).toEqual([{ name: 'a-1' }, { name: 'a-2' }]);
    expect(await collectSome(read, 2, justA, keep)).toEqual([{ name: 'a-1' }, { name: 'a-2' }]);
    expect(heard).toEqual(['a-1', 'a-2', 'a-1', 'a-2']);
  });

  it('asks for nothing more once it is over', async () => {
    const asked: number[] = [];
    const read: PageReader = async (page) => {
      asked.push(page);
      await new Promise((resolve) => setTimeout(resolve, page));
      if (page === 3) throw new Error('page 3');
      return { rows: [rowAt(START, `row-${page}`)], total: 30 };
    };
    await expect(collectAll(read, everyRow, noCheck, whole)).rejects.toThrow('page 3');
    const askedThen = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(asked).toHaveLength(askedThen);
    expect(Math.max(...asked)).toBeLessThanOrEqual(6);
  });

  it('reads page by page when the selection may end the list early, and no page beyond its end', async () => {
    const asked: number[] = [];
    const read: PageReader = async (page) => {
      asked.push(page);
      return { rows: [rowAt(START, `row-${page}`)], total: 30 };
    };
    const upToThree: Selection = {
      takes: ({ id }) => id !== 'row-3',
      isPast: (rows) => rows.some(({ id }) => id === 'row-3'),
      endsEarly: true,
      narrows: true,
    };
    expect((await collectAll(read, upToThree, noCheck, whole)).map(({ id }) => id)).toEqual(['row-1', 'row-2']);
    expect(asked).toEqual([1, 2, 3]);
  });

  it('asks whether it is too much after each page, with what was taken so far', async () => {
    const heard: Array<[number | undefined, number]> = [];
    const read: PageReader = async (page) => ({
      rows: page > 3 ? [] : [rowAt(START, `a-${page}`), rowAt(START, `b-${page}`)],
    });
    const justA: Selection = { ...everyRow, takes: ({ id }) => id.startsWith('a') };
    await collectAll(read, justA, (total, taken) => heard.push([total, taken]), whole);
    expect(heard).toEqual([
      [undefined, 1],
      [undefined, 2],
      [undefined, 3],
      [undefined, 3],
    ]);
  });

  it('stops at once when told that it is too much', async () => {
    const asked: number[] = [];
    const read: PageReader = async (page) => {
      asked.push(page);
      return { rows: [rowAt(START, `row-${page}`)], total: 200 };
    };
    const tooMuch = new Error('too much');
    await expect(
      collectAll(
        read,
        everyRow,
        () => {
          throw tooMuch;
        },
        whole,
      ),
    ).rejects.toBe(tooMuch);
    expect(asked).toEqual([1]);
  });

  it('takes a page of 200,000 rows', async () => {
    const rows = Array.from({ length: 200_000 }, (_, index) => rowAt(START, String(index)));
    expect(await collectAll(async () => ({ rows, total: rows.length }), everyRow, noCheck, whole)).toHaveLength(
      200_000,
    );
  });

  it('fails with the page that failed, and leaves no failure behind', async () => {
    const broken = new Error('page 3');
    const read: PageReader = async (page) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (page >= 3) throw page === 3 ? broken : new Error('a later page');
      return { rows: [rowAt(START, `row-${page}`)], total: 30 };
    };
    await expect(collectAll(read, everyRow, noCheck, whole)).rejects.toBe(broken);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('complains when the first page comes again although there is more', async () => {
    const read: PageReader = async () => ({ rows: [rowAt(START, 'a'), rowAt(START, 'b')], total: 10 });
    await expect(collectAll(read, everyRow, noCheck, whole)).rejects.toThrow(UnexpectedResponse);
  });
});

describe('reading up to a limit', () => {
  it('gives the first wanted rows, and asks for no page more than that takes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 4 }),
        async (count, pageSize, limit, every) => {
          const list = new ChangingList(
            Array.from({ length: count }, (_, index) => rowAt(START, String(index))),
            'asc',
            pageSize,
          );
          const selection: Selection = { ...everyRow, takes: ({ id }) => Number(id) % every === 0 };
          const wanted = list.rows.filter(selection.takes).slice(0, limit);
          expect(await collectSome(list.read, limit, selection, whole)).toEqual(wanted);
          const rowsToRead = wanted.length === limit ? Number(wanted.at(-1)?.id) + 1 : count;
          expect(list.asked).toHaveLength(Math.max(1, Math.ceil(rowsToRead / pageSize)));
        },
      ),
      { numRuns: 500 },
    );
  });
});
