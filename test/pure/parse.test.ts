import {
  isInRange,
  isOutOfOrder,
  parseObject,
  parsePage,
  parseSubmissions,
  parseTime,
} from '../../nodes/NeetoForm/api/parse';

const noon = Date.UTC(2026, 1, 9, 12);

describe('the creation time of a row', () => {
  const readOne = (list: 'forms' | 'submissions', created_at: unknown) => {
    const response = { body: { [list]: [{ id: 'row', created_at }], total_count: 1 } };
    return list === 'forms' ? parsePage(response, list) : parseSubmissions(response, {});
  };

  it.each([
    '2026-02-09T12:00:00.000000Z',
    '2026-02-09T12:00:00.000000000Z',
    '2026-02-09T17:30:00+05:30',
    '2026-02-09T07:00:00-05:00',
    '2026-02-09T12:00:00',
  ])('%s is read as what ISO 8601 says, without a zone as UTC', (createdAt) => {
    expect(parseTime(createdAt)).toBe(noon);
  });

  it.each([1770638400, '', 'yesterday', '2026-02-09 12:00:00 UTC'])('%p is refused, and named', (createdAt) => {
    for (const list of ['submissions', 'forms'] as const) {
      const message = `'created_at' of a row of '${list}' is not an ISO 8601 date-time: ${JSON.stringify(createdAt)}`;
      expect(() => readOne(list, createdAt)).toThrow(message);
    }
  });

  it('may be missing, except of a submission', () => {
    expect(readOne('forms', undefined).rows).toMatchObject([{ id: 'row', createdMs: undefined }]);
    expect(() => readOne('submissions', undefined)).toThrow(/'created_at'.*: null$/);
  });
});

describe('a row', () => {
  const at = (createdMs: number | undefined) => ({ id: 'row', createdMs, data: {} });

  it('is in a range from its lower bound on, and before its upper bound', () => {
    const range = { after: 5, before: 7 };
    expect([4, 5, 6, 7].map((ms) => isInRange(at(ms), range))).toEqual([false, true, true, false]);
    expect(isInRange(at(0), {})).toBe(true);
  });

  it('without a creation time is in every range and order', () => {
    expect(isInRange(at(undefined), { after: 5, before: 7 })).toBe(true);
    for (const order of ['asc', 'desc'] as const) {
      expect(isOutOfOrder(order, at(undefined), at(5))).toBe(false);
      expect(isOutOfOrder(order, at(5), at(undefined))).toBe(false);
      expect(isOutOfOrder(order, at(5), undefined)).toBe(false);
    }
  });
});

describe('a page', () => {
  const page = (body: Record<string, unknown>) => parsePage({ body: { total_count: 1, ...body } }, 'forms');

  it('has its totals from the pagination object, or from the top', () => {
    const pagination = { total_records: 250, total_pages: 3, current_page_number: 1, page_size: 100 };
    expect(page({ forms: [], pagination, total_count: 7 })).toMatchObject({ total: 250 });
    expect(page({ forms: [], total_count: 7 })).toMatchObject({ total: 7 });
  });

  it.each([null, undefined])('without a total is refused: %j', (total_count) => {
    expect(() => page({ forms: [], total_count })).toThrow('the response has no total');
  });

  it.each([
    [1, 0, '1 row'],
    [2, 1, '2 rows'],
  ])('with %i row(s) and a total of %i is refused', (count, total_count, rows) => {
    const forms = Array.from({ length: count }, (_, nth) => ({ id: nth }));
    const message = `the list of forms has a total of ${total_count}, but a page with ${rows}`;
    expect(() => page({ forms, total_count })).toThrow(new RegExp(`${message}$`));
  });

  it.each<[what: string, rows: number, asked: { page?: number }, said: unknown, isFull: boolean]>([
    ['as many rows as were asked for', 100, {}, undefined, true],
    ['as many rows as the service says that a page has', 50, {}, 50, true],
    ['fewer rows', 49, {}, 50, false],
    ['as many rows as page 1 has, when more follow', 30, {}, undefined, true],
    ['as many rows, also when it says 0 or fewer', 30, {}, 0, true],
    ['as many rows, also when it says fewer', 30, {}, 29, true],
    ['fewer rows than were asked for, when it says more', 99, {}, 200, false],
    ['fewer rows on a page after page 1', 30, { page: 2 }, undefined, false],
    ['no rows', 0, {}, undefined, false],
  ])('is full, or not, with %s', (_what, rows, asked, page_size, isFull) => {
    const forms = Array.from({ length: rows }, (_, nth) => ({ id: nth }));
    const body = { forms, total_count: 230, pagination: { page_size } };
    expect(parsePage({ body }, 'forms', asked).isFull).toBe(isFull);
  });

  it('must be the one that was asked for, unless that lies past the end', () => {
    const read = (page: number, current_page_number: unknown) =>
      parsePage({ body: { forms: [], total_count: 150, pagination: { current_page_number } } }, 'forms', { page });
    expect(() => read(2, 1)).toThrow("the list of forms ignores 'page'");
    for (const [page, said] of [
      [2, 2],
      [2, undefined],
      [2, '1'],
      [3, 2],
    ] as const)
      expect(read(page, said).total).toBe(150);
  });

  it.each([-1, 1.5, {}])('with the total %j is refused, and the total named', (total_count) => {
    const message = `the total is not a number: ${JSON.stringify(total_count)}`;
    expect(() => page({ forms: [], total_count })).toThrow(message);
  });

  it('has rows with the ID as text, the creation time and the data of the service', () => {
    const form = { id: 7, created_at: '2026-02-09T12:00:00Z', title: 'Contact' };
    expect(page({ forms: [form] }).rows).toEqual([{ id: '7', createdMs: noon, data: form }]);
  });

  it.each([[[{ id: '' }]], [[{ id: {} }]], [[null]], [[{}]], [{}]])('of rows %j is refused', (forms) => {
    expect(() => page({ forms })).toThrow(/'forms'/);
  });
});

describe('a page of submissions', () => {
  const page = (seconds: number[], order: 'asc' | 'desc', responses: unknown = null) => {
    const timeOf = (second: number) => new Date(noon + second * 1_000).toISOString();
    const submissions = seconds.map((second) => ({ id: String(second), created_at: timeOf(second), responses }));
    const body = { submissions, total_count: seconds.length };
    return parseSubmissions({ body }, { order, after: noon }).rows;
  };

  it.each([
    ['asc', [0, 5, 5, 9], [5, 0]],
    ['desc', [9, 5, 5, 0], [0, 5]],
  ] as const)('may have equal times, but not another order than %s', (order, kept, broken) => {
    expect(page([...kept], order)).toHaveLength(4);
    expect(() => page([...broken], order)).toThrow("the list of submissions ignores 'order'");
  });

  it('may begin up to a minute before the bound, which the service may round', () => {
    expect(page([-60], 'asc')).toHaveLength(1);
    expect(() => page([-61], 'asc')).toThrow("the list of submissions ignores 'submitted_after'");
  });

  it('has rows whose list of answers may be null, but nothing else', () => {
    expect(page([0], 'asc', null)).toHaveLength(1);
    expect(() => page([0], 'asc', 'none')).toThrow('a submission has no list of answers');
    const renamed = { id: 'a', created_at: '2026-02-09T12:00:00Z', answers: [] };
    const body = { submissions: [renamed], total_count: 1 };
    expect(() => parseSubmissions({ body }, {})).toThrow('a submission has no list of answers');
  });
});

it('an object is read under its key, and refused without an ID', () => {
  expect(parseObject({ body: { form: { id: 'x' } } }, 'form')).toEqual({ id: 'x' });
  expect(() => parseObject({ body: { form: {} } }, 'form')).toThrow("the 'form' has no id");
  expect(() => parseObject({ body: { id: 'x' } }, 'form')).toThrow("there is no 'form'");
  expect(parseObject({ body: { id: 7 } })).toEqual({ id: 7 });
});
