import { parseForm, parseMessage, parseObject, parsePage, parseTime } from '../../nodes/NeetoForm/api/parse';

const noon = Date.UTC(2026, 1, 9, 12);

describe('the creation time of a row', () => {
  it.each([
    '2026-02-09T12:00:00.000Z',
    '2026-02-09T12:00:00.000000Z',
    '2026-02-09T17:30:00+05:30',
    '2026-02-09T12:00:00',
  ])('%s is read as what ISO 8601 says, without a zone as UTC', (createdAt) => {
    expect(parseTime(createdAt)).toBe(noon);
  });

  it.each([1770638400, '', 'yesterday', '2026-02-09 12:00:00 UTC'])('%p is refused, and named', (createdAt) => {
    for (const list of ['submissions', 'forms'] as const) {
      const body = { [list]: [{ id: 'row', created_at: createdAt }], total_count: 1 };
      expect(() => parsePage({ body }, list)).toThrow(
        `'created_at' of a row of '${list}' is not an ISO 8601 date-time: ${JSON.stringify(createdAt)}`,
      );
    }
  });

  it('may be missing, except of a submission', () => {
    const read = (list: 'forms' | 'submissions') =>
      parsePage({ body: { [list]: [{ id: 'row' }], total_count: 1 } }, list);
    expect(read('forms').rows).toMatchObject([{ id: 'row', createdMs: NaN }]);
    expect(() => read('submissions')).toThrow(/'created_at'.*: null$/);
  });
});

describe('a page', () => {
  const page = (body: Record<string, unknown>) => parsePage({ body: { total_count: 1, ...body } }, 'forms');

  it('has its totals from the pagination object, or from the top', () => {
    const pagination = { total_records: 250, total_pages: 3, current_page_number: 1, page_size: 100 };
    expect(page({ forms: [], pagination, total_count: 7 })).toMatchObject({ total: 250 });
    expect(page({ forms: [], total_count: 7 })).toMatchObject({ total: 7 });
  });

  it('without a total is refused', () => {
    expect(() => page({ forms: [], total_count: null })).toThrow('the response has no total');
  });

  it.each(['100', -1, 1.5, {}])('with a total of %p is refused, and the value named', (total_count) => {
    expect(() => page({ forms: [], total_count })).toThrow(`the total is not a number: ${JSON.stringify(total_count)}`);
  });

  it('with more rows than its total is refused, and both named', () => {
    const body = { forms: [{ id: 'a' }, { id: 'b' }], total_count: 1 };
    expect(() => page(body)).toThrow('the list of forms has a total of 1, but a page with 2 rows');
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
    const rows = seconds.map((second) => {
      return { id: String(second), created_at: new Date(noon + second * 1_000).toISOString(), responses };
    });
    const body = { submissions: rows, total_count: rows.length };
    return parsePage({ body }, 'submissions', { order, after: noon }).rows;
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

it.each<[what: string, body: Record<string, unknown>, read: typeof parseForm | typeof parseMessage, outcome: unknown]>([
  ['an object', { id: 7 }, parseObject, { id: 7 }],
  ['an object under its key', { form: { id: 'x' } }, (each) => parseObject(each, 'form'), { id: 'x' }],
  ['a form', { id: 'x', questions: [] }, parseForm, { id: 'x', questions: [] }],
  ['a message', { message: 'Done' }, parseMessage, 'Done'],
  ['no object under its key', { id: 'x' }, (each) => parseObject(each, 'form'), "there is no 'form'"],
  ['an object without an ID', { form: {} }, (each) => parseObject(each, 'form'), "the 'form' has no id"],
  ['nothing', {}, parseObject, "the 'object' has no id"],
  ['a form without questions', { id: 'x' }, parseForm, "there is no list of 'questions'"],
  ['no message', {}, parseMessage, "there is no 'message'"],
])('a response that is no list is read as what it is, or refused: %s', (_what, body, read, outcome) => {
  if (typeof outcome === 'string' && body['message'] === undefined) expect(() => read({ body })).toThrow(outcome);
  else expect(read({ body })).toEqual(outcome);
});
