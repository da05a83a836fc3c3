import { createClock, startEmulator, type Emulator, type SubmissionInput } from '../../emulator/index.ts';
import { idsOf, send } from './client.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
const SUBMISSIONS = '/v2/forms/form/submissions';
let emulator: Emulator;

beforeEach(async () => {
  const seed = { members: [], forms: [{ id: 'form', title: 'x' }] };
  emulator = await startEmulator({ clock: createClock(NOW), seed });
});
afterEach(() => emulator.close());

const list = async (path: string) => (await send(emulator, 'GET', path)).data;
const listed = async (query = '', path = SUBMISSIONS): Promise<string[]> => idsOf(await list(path + query));
const add = (...submissions: SubmissionInput[]): void => {
  for (const submission of submissions) emulator.workspace.addSubmission('form', submission);
};

it('rows come oldest first; desc is the exact reverse, ties included', async () => {
  for (const [id, ms] of Object.entries({ third: 3, first: 1, second: 2, tied: 2 })) {
    emulator.workspace.addForm({ id, title: 'x', createdAt: ms });
    add({ id, createdAt: ms });
  }
  const inOrder = ['first', 'second', 'tied', 'third'];
  for (const [path, rows] of [['/v2/forms', [...inOrder, 'form']] as const, [SUBMISSIONS, inOrder] as const]) {
    expect(await listed('', path)).toEqual(rows);
    expect(await listed('?order=desc&page=2&page_size=2', path)).toEqual(rows.toReversed().slice(2, 4));
  }
});

it.each([
  ['/v2/forms?status=active', ['form', 'liked']],
  ['/v2/forms?status=archived', ['old']],
  ['/v2/forms?status=favorite', ['liked']],
  ['/v2/forms?status=ACTIVE', ['form', 'old', 'liked']],
  ['/v2/team-members?email=M1@example.com', ['inactive']],
  ['/v1/team_members?email=m1', []],
])('%s has %j', async (path, expected) => {
  emulator.workspace.addForm({ id: 'old', title: 'x', isArchived: true });
  emulator.workspace.addForm({ id: 'liked', title: 'x', isFavorite: true });
  emulator.workspace.addMember({ id: 'inactive', email: 'm1@example.com', active: false });
  expect(await listed('', path)).toEqual(expected);
});

describe('submitted_after', () => {
  it.each([
    '2026-02-09',
    '2026-02-09T00:00:00Z',
    '2026-02-09T00:00',
    '2026-02-09T05:30:00%2B05:30',
    '2026-02-08T19:00:00-05:00',
  ])('=%s includes what was created at that very moment, and counts only what matches', async (value) => {
    add({ id: 'before', createdAt: '2026-02-08T23:59:59.999Z' });
    add({ id: 'at', createdAt: '2026-02-09T05:30:00+05:30' }, { id: 'after', createdAt: '2026-02-09T00:00:00.001Z' });
    const data = await list(`${SUBMISSIONS}?submitted_after=${value}`);
    expect([idsOf(data), data.total_count]).toEqual([['at', 'after'], 2]);
    expect(data.submissions?.[0]?.created_at).toBe('2026-02-09T05:30:00+05:30');
  });

  it.each(['yesterday', '', '2026-02-30', '2026-02-09T25:00Z', '2026-02-09T05:30:00+05:30'])(
    '=%s is refused with the documented message',
    async (value) => {
      const data = { error: 'submitted_after must be an ISO 8601 date (YYYY-MM-DD) or date-time.' };
      expect(await send(emulator, 'GET', `${SUBMISSIONS}?submitted_after=${value}`)).toMatchObject({
        status: 422,
        data,
      });
    },
  );

  it('compares microseconds, which order the rows and are not shown', async () => {
    const createdAt = Date.parse('2026-02-09T05:20:59.464Z');
    add({ id: 'c', createdAt, micros: 999 }, { id: 'a', createdAt, micros: 123 }, { id: 'b', createdAt, micros: 500 });
    expect(await listed()).toEqual(['a', 'b', 'c']);
    expect(await listed('?submitted_after=2026-02-09T05:20:59.4645Z')).toEqual(['b', 'c']);
    const { submissions } = await list(SUBMISSIONS);
    expect(submissions?.map(({ created_at }) => created_at)).toEqual(Array(3).fill('2026-02-09T05:20:59.464Z'));
  });
});
