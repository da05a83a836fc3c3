import type { Row } from '../../nodes/NeetoForm/api/parse';
import { formsNamed } from '../../nodes/NeetoForm/lists/wholeLists';

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
