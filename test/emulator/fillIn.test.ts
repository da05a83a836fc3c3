import { sampleWorkspace, startEmulator, type Emulator, type Form, type QuestionInput } from '../../emulator/index.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: sampleWorkspace() });
});
afterEach(() => emulator.close());

const page = (form: Form): string => `${emulator.url}/forms/${encodeURIComponent(form.id)}/attempt`;
const formOf = (...questions: QuestionInput[]): Form => emulator.workspace.addForm({ title: 'Test', questions });

const post = async (form: Form, fields: Array<[string, string | File]>): Promise<{ status: number; text: string }> => {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  const response = await fetch(page(form), { method: 'POST', body });
  return { status: response.status, text: await response.text() };
};

const answers = (form: Form) => emulator.workspace.submissions(form.id).map((submission) => submission.answers);

it('shows a labeled field for every question that is not hidden, without a key', async () => {
  for (const form of emulator.workspace.forms.filter(({ isArchived }) => !isArchived)) {
    const text = await (await fetch(page(form))).text();
    for (const { label, slug, isHidden } of form.questions) {
      expect(text.includes(`>${label}<`)).toBe(!isHidden);
      expect(text.includes(`name="${slug}`)).toBe(!isHidden);
    }
  }
});

it.each<[string, Array<[string, string]>, unknown]>([
  ['short_text', [['q', ' Hello ']], 'Hello'],
  ['long_text', [['q', 'one\r\ntwo']], 'one\ntwo'],
  ['drop_down', [['q', 'Two']], 'Two'],
  ['star_rating', [['q', '5']], '5'],
  [
    'multiple_choice',
    [
      ['q', 'One'],
      ['q', 'Two'],
    ],
    ['One', 'Two'],
  ],
  [
    'phone',
    [
      ['q', '+49 30 1'],
      ['q[country]', 'Germany'],
    ],
    { country_name: 'Germany', value: '+49 30 1' },
  ],
  ['name', [['q[first_name]', 'Mia']], { first_name: 'Mia', last_name: '' }],
  [
    'address',
    [['q[city]', 'Berlin']],
    {
      address: ['Street address', 'City', 'State', 'Zip code', 'Country'].map((label) => ({
        label,
        content: label === 'City' ? 'Berlin' : '',
      })),
    },
  ],
])('an answer of kind %s becomes what the service sends', async (kind, fields, expected) => {
  const form = formOf({ label: 'Q', slug: 'q', kind, options: ['One', 'Two'] });
  expect(await post(form, fields)).toMatchObject({ status: 200 });
  expect(answers(form)).toEqual([{ q: expected }]);
  await post(form, []);
  expect(answers(form)[1]).toEqual({});
});

it('an uploaded file is found at its address, which redirects to the object store', async () => {
  const form = formOf({ label: 'CV', slug: 'cv', kind: 'file_upload' });
  await post(form, [['cv', new File(['ten years'], 'my cv.txt', { type: 'text/plain' })]]);
  expect(answers(form)).toEqual([
    { cv: { files: [{ name: 'my cv.txt', url: expect.stringContaining(`${emulator.url}/files/`) as unknown }] } },
  ]);
  const [{ id } = { id: '' }] = [...emulator.workspace.files.values()].slice(-1);
  const response = await fetch(`${emulator.url}/files/${id}/my%20cv.txt`);
  expect([response.url, await response.text(), response.headers.get('content-type')]).toEqual([
    `${emulator.url}/object-store/${id}/my%20cv.txt`,
    'ten years',
    'text/plain',
  ]);
  expect(response.headers.get('content-disposition')).toContain('attachment');
  expect((await fetch(`${emulator.url}/files/unknown/x`)).status).toBe(404);
});

it('takes what a plain HTML form sends, and nothing else', async () => {
  const form = formOf({ label: 'Q', slug: 'q' });
  await fetch(page(form), { method: 'POST', body: new URLSearchParams({ q: 'sent', extra: 'x' }) });
  expect(answers(form)).toEqual([{ q: 'sent' }]);
  const broken = { method: 'POST', body: 'x', headers: { 'content-type': 'multipart/form-data' } };
  expect((await fetch(page(form), broken)).status).toBe(400);
});

it('refuses a submission without a required answer', async () => {
  const form = formOf({ label: 'Must', slug: 'q', isRequired: true });
  expect(await post(form, [['q', ' ']])).toMatchObject({
    status: 422,
    text: expect.stringContaining('Must') as unknown,
  });
  expect(answers(form)).toEqual([]);
});

it('has no page for a form that is unknown, archived, disabled or suspended', async () => {
  expect((await fetch(`${emulator.url}/forms/unknown/attempt`)).status).toBe(404);
  for (const state of [{ isArchived: true }, { isDisabled: true }, { isSuspended: true }]) {
    const form = emulator.workspace.addForm({ title: 'Closed', ...state });
    expect((await fetch(page(form))).status).toBe(404);
    expect((await post(form, [])).status).toBe(404);
    expect(answers(form)).toEqual([]);
  }
});

it('escapes everything that comes from the form', async () => {
  const evil = `<script>alert("1")</script>'&`;
  const kinds = ['short_text', 'drop_down', 'multiple_choice', 'address', 'phone'];
  const questions = kinds.map((kind) => ({ label: evil, slug: `${evil}${kind}`, kind, options: [evil] }));
  const form = emulator.workspace.addForm({ id: 'a/b c?%2e', title: evil, questions });
  const text = await (await fetch(page(form))).text();
  expect(text).not.toMatch(/<script|"1"/);
  expect(text).toContain('&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;');
});
