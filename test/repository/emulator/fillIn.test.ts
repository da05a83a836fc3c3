import { createClock, sampleWorkspace, startEmulator, type Emulator, type Form } from '../../../emulator/index.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: sampleWorkspace() });
});
afterEach(() => emulator.close());

const page = (form: Form): string => `${emulator.url}/forms/${encodeURIComponent(form.id)}/attempt`;

it('asks every question of the sample that is not hidden, with a mark where an answer is required, without a key', async () => {
  const types = new Set<string>();
  for (const form of emulator.workspace.forms) {
    emulator.workspace.updateForm(form.id, { isArchived: false });
    const text = await (await fetch(page(form))).text();
    for (const { label, slug, isHidden, isRequired } of form.questions) {
      const mark = isRequired ? ' <b>*</b>' : '';
      expect(text.includes(`>${label}${mark}<`)).toBe(!isHidden);
      expect(text.includes(`name="${slug}"`) || text.includes(`name="${slug}[`)).toBe(!isHidden);
      const fields = text.match(new RegExp(`<(input|select|textarea)[^>]* name="${slug}["[][^>]*>`, 'g')) ?? [];
      expect(fields.every((field) => field.includes(' required') === isRequired)).toBe(true);
    }
    for (const [, type = ''] of text.matchAll(/<input type="(\w+)"/g)) types.add(type);
  }
  const expected = ['text', 'email', 'date', 'file', 'radio', 'checkbox', 'number'];
  expect([...types]).toEqual(expect.arrayContaining(expected));
});

it.each([{ isArchived: true }, { isDisabled: true }, { isSuspended: true }, { isPublished: false }])(
  'takes no submission of a form that is %j, and has no button to send one',
  async (state) => {
    const form = emulator.workspace.addForm({ title: 'Closed', questions: [{ label: 'Q' }], ...state });
    for (const init of [undefined, { method: 'POST', body: new URLSearchParams({ q: 'x' }) }]) {
      const response = await fetch(page(form), init);
      expect(response.status).toBe(403);
      expect(await response.text()).toMatch(/Closed.*This form takes no submissions/);
    }
    expect(await (await fetch(page(form))).text()).not.toContain('<button');
    expect(emulator.workspace.submissions(form.id)).toEqual([]);
  },
);

it.each<[kind: string, fields: Array<[string, string]>, expected: unknown]>([
  ['text', [['q', ' Hello ']], 'Hello'],
  ['textarea', [['q', 'one\r\ntwo']], 'one\ntwo'],
  ['date', [['q', '2026-02-09']], '2026-02-09'],
  [
    'checkbox',
    [
      ['q', 'One'],
      ['q', 'Two'],
    ],
    ['One', 'Two'],
  ],
  [
    'phone',
    [
      ['q[value]', '49'],
      ['q[country_name]', 'Germany'],
    ],
    { country_name: 'Germany', value: '49' },
  ],
  ['name', [['q[first_name]', 'Mia']], { first_name: 'Mia', last_name: '' }],
  ['address', [['q[city]', 'Berlin']], { address: [{ label: 'City', content: 'Berlin' }] }],
])('an answer of kind %s becomes what the service sends', async (kind, fields, expected) => {
  const form = emulator.workspace.addForm({ title: 'Test', questions: [{ label: 'Q', slug: 'q', kind }] });
  for (const sent of [fields, []]) {
    const body = new URLSearchParams([...sent, ['other', 'x']]);
    const response = await fetch(page(form), { method: 'POST', body });
    expect(response.status).toBe(200);
  }
  expect(emulator.workspace.submissions(form.id).map(({ answers }) => answers)).toEqual([{ q: expected }, {}]);
});

it('keeps the files that are sent, byte for byte, and serves them at the addresses in the answer', async () => {
  const questions = [{ label: 'Files', slug: 'files', kind: 'file_upload' }];
  const form = emulator.workspace.addForm({ title: 'Test', questions });
  const bytes = Uint8Array.from({ length: 256 }, (_, value) => value);
  const body = new FormData();
  body.append('files', new File([bytes], 'Zoë & "plan".bin', { type: 'image/png' }));
  body.append('files', new File(['text'], 'b.txt'));
  await fetch(page(form), { method: 'POST', body });
  const none = new FormData();
  none.append('files', new File([], ''));
  await fetch(page(form), { method: 'POST', body: none });

  const [withFiles, withNone] = emulator.workspace.submissions(form.id).map(({ answers }) => answers);
  const url = expect.stringContaining(`${emulator.url}/files/`) as unknown;
  expect(withFiles).toEqual({
    files: {
      files: [
        { name: 'Zoë & "plan".bin', url },
        { name: 'b.txt', url },
      ],
    },
  });
  expect(withNone).toEqual({});
  const [address = ''] = /http[^"]+/.exec(JSON.stringify(withFiles)) ?? [];
  const response = await fetch(address);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  expect(response.headers.get('content-type')).toBe('image/png');
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
