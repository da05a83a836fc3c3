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

  it.each(['2026-02-09T12:00:00.000000Z', '2026-02-09T17:30:00+05:30', '2026-02-09T12:00:00'])(
    '%s is read as what ISO 8601 says, without a zone as UTC',
    (createdAt) => {
      expect(parseTime(createdAt)).toBe(noon);
    },
  );

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
  });
});

it('an object is read under its key, and refused without an ID', () => {
  expect(parseObject({ body: { form: { id: 'x' } } }, 'form')).toEqual({ id: 'x' });
  expect(() => parseObject({ body: { form: {} } }, 'form')).toThrow("the 'form' has no id");
});
