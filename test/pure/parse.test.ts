import { parsePage, parseTime } from '../../nodes/NeetoForm/api/parse';

const noon = Date.UTC(2026, 1, 9, 12);

describe('the creation time of a row', () => {
  it.each([
    '2026-02-09T12:00:00.000Z',
    '2026-02-09T12:00:00z',
    '2026-02-09T12:00:00',
    '2026-02-09T12:00:00.000000Z',
    '2026-02-09T17:30:00+05:30',
    '2026-02-09T17:30:00+0530',
    '2026-02-09T17:00:00+05',
    '2026-02-09T09:00:00-03',
    '2026-02-09T17:00:00.000000+05',
    '2026-02-09 12:00:00 UTC',
    '2026-02-09 12:00:00',
    '2026-02-09 17:30:00 +0530',
  ])('%s is read as what ISO 8601 says, in UTC when it names no zone', (createdAt) => {
    expect(parseTime(createdAt)).toBe(noon);
  });

  it.each([undefined, null, 5, '', 'yesterday', '2026-02-09T12:00:00 CET'])('%p is none', (createdAt) => {
    expect(parseTime(createdAt)).toBeNaN();
    const submissions = [{ id: 'row', created_at: createdAt }];
    expect(() => parsePage({ status: 200, body: { submissions } }, 'submissions')).toThrow(
      "submission 'row' has no creation time",
    );
  });

  it('that is a date alone is midnight in UTC', () => {
    expect(parseTime('2026-02-09')).toBe(Date.UTC(2026, 1, 9));
  });
});

describe('a page', () => {
  const page = (body: Record<string, unknown>) => parsePage({ status: 200, body }, 'forms');

  it('has its totals from the pagination object, or from the top', () => {
    const pagination = { total_records: 250, total_pages: 3, current_page_number: 1, page_size: 100 };
    expect(page({ forms: [], pagination, total_count: 7 })).toMatchObject({ total: 250, totalPages: 3, pageSize: 100 });
    expect(page({ forms: [], total_count: 7 })).toMatchObject({ total: 7 });
    expect(page({ forms: [] }).total).toBeUndefined();
  });

  it.each([0, -1, '100', null, undefined])('has no page size and no number of pages of %p', (given) => {
    const { pageSize, totalPages } = page({ forms: [], pagination: { page_size: given, total_pages: given } });
    expect([pageSize, totalPages]).toEqual([undefined, undefined]);
  });

  it('has rows with the ID as text, the creation time and the data of the service', () => {
    const form = { id: 7, created_at: '2026-02-09T12:00:00Z', title: 'Contact' };
    expect(page({ forms: [form] }).rows).toEqual([{ id: '7', createdMs: noon, data: form }]);
    expect(page({ forms: [{ id: 'a' }] }).rows).toEqual([{ id: 'a', createdMs: NaN, data: { id: 'a' } }]);
  });

  it.each([[[{ id: '' }]], [[{ id: {} }]], [[null]], [[{}]], [{}]])('of rows %j is refused', (forms) => {
    expect(() => page({ forms })).toThrow(/'forms'/);
  });
});
