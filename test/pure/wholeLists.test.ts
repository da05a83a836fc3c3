import { systemClock } from '../../nodes/NeetoForm/api/clock';
import type { Row } from '../../nodes/NeetoForm/api/parse';
import type { Get } from '../../nodes/NeetoForm/api/service';
import { formsNamed, readForms, readMembers } from '../../nodes/NeetoForm/lists/wholeLists';

/** A service that shows one row of each list, and says that there are two. */
const get: Get = async ({ query }, parse) => {
  const isFirst = (query?.page ?? query?.page_number) === 1;
  const rows = isFirst ? [{ id: 'row', created_at: '2026-02-09T12:00:00Z' }] : [];
  return await Promise.resolve(parse({ body: { forms: rows, team_members: rows, total_count: 2 } }));
};

it('a list that is not complete is refused by its name', async () => {
  const clock = { ...systemClock, sleep: async () => await Promise.resolve() };
  const message = (name: string) => `The list of ${name} cannot be read completely: it shows 1 of 2 rows`;
  await expect(readForms(get, 'desc', clock)).rejects.toThrow(message('forms'));
  await expect(readMembers(get)).rejects.toThrow(message('team members'));
});

describe('a form that is given by a text', () => {
  const form = (id: string, title: string): Row => ({ id, createdMs: undefined, data: { title } });
  const forms = [form('7', 'Contact'), form('8', '7'), form('9', 'contact')];
  const idsNamed = (text: string) => formsNamed(forms, text).map(({ id }) => id);

  it('is the one with this ID, even if another one has it as title', () => {
    expect(idsNamed('7')).toEqual(['7']);
  });

  it('is otherwise each one with this title, in upper or lower case', () => {
    expect(idsNamed('CONTACT')).toEqual(['7', '9']);
    expect(idsNamed('None')).toEqual([]);
  });
});
