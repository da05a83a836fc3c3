import { createClock, sampleWorkspace, startEmulator, type Emulator, type Form } from '../../../emulator/index.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: sampleWorkspace() });
});
afterEach(() => emulator.close());

const page = (form: Form): string => `${emulator.url}/forms/${encodeURIComponent(form.id)}/attempt`;

it('shows a labeled field for every question that is neither hidden nor about a file or an address, without a key', async () => {
  for (const form of emulator.workspace.forms.filter(({ isArchived }) => !isArchived)) {
    const text = await (await fetch(page(form))).text();
    for (const { label, slug, kind, isHidden } of form.questions) {
      const isAsked = !isHidden && !['file_upload', 'address'].includes(kind);
      expect(text.includes(`>${label}<`)).toBe(isAsked);
      expect(text.includes(`name="${slug}"`) || text.includes(`name="${slug}[`)).toBe(isAsked);
    }
  }
});

it.each<[string, string, unknown]>([
  ['text', 'q= Hello ', 'Hello'],
  ['textarea', 'q=one%0D%0Atwo', 'one\ntwo'],
  ['checkbox', 'q=One&q=Two', ['One', 'Two']],
  ['phone', 'q=49&q[country]=Germany', { country_name: 'Germany', value: '49' }],
  ['name', 'q[first_name]=Mia', { first_name: 'Mia', last_name: '' }],
])('an answer of kind %s becomes what the service sends', async (kind, fields, expected) => {
  const form = emulator.workspace.addForm({ title: 'Test', questions: [{ label: 'Q', slug: 'q', kind }] });
  for (const sent of [`${fields}&other=x`, '']) {
    const response = await fetch(page(form), { method: 'POST', body: new URLSearchParams(sent) });
    expect(response.status).toBe(200);
  }
  expect(emulator.workspace.submissions(form.id).map(({ answers }) => answers)).toEqual([{ q: expected }, {}]);
});

it('a submission keeps the time at which its page was opened, and is listed when it is sent', async () => {
  const clock = createClock(Date.parse('2026-02-09T06:00:00Z'));
  const late = await startEmulator({
    clock,
    seed: { forms: [{ id: 'form', title: 'x', questions: [{ label: 'Q' }] }] },
  });
  try {
    const address = `${late.url}/forms/form/attempt`;
    const [, opened = ''] = /name="_opened" value="(\d+)"/.exec(await (await fetch(address)).text()) ?? [];
    clock.advance(3_600_000);
    for (const fields of [{ _opened: opened }, { _opened: String(clock.now() + 1) }, { _opened: 'x' }])
      await fetch(address, { method: 'POST', body: new URLSearchParams({ q: 'a', ...fields }) });
    expect(late.workspace.submissions('form').map(({ createdAt }) => createdAt)).toEqual([
      '2026-02-09T06:00:00.000Z',
      '2026-02-09T07:00:00.000Z',
      '2026-02-09T07:00:00.000Z',
    ]);
  } finally {
    await late.close();
  }
});

it('serves the files in the answers of the sample workspace', async () => {
  const { forms } = emulator.workspace;
  const answers = forms.flatMap(({ id }) => emulator.workspace.submissions(id)).map((each) => each.answers);
  const addresses = JSON.stringify(answers).match(/http[^"]+cv\.txt/g) ?? [];
  const texts = await Promise.all(addresses.map(async (address) => await (await fetch(address)).text()));
  expect(texts).toEqual(['Ines Costa', 'Omar Haddad', 'Sofia Rossi'].map((name) => `Curriculum vitae of ${name}\n`));
});
