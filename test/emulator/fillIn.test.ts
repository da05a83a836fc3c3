import { sampleWorkspace, startEmulator, type Emulator, type Form, type QuestionInput } from '../../emulator/index.ts';

let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ seed: sampleWorkspace() });
});
afterEach(() => emulator.close());

const page = (form: Form): string => `${emulator.url}/forms/${encodeURIComponent(form.id)}/attempt`;
const post = async (form: Form, body: URLSearchParams | FormData) => await fetch(page(form), { method: 'POST', body });
const formOf = (...questions: QuestionInput[]): Form => emulator.workspace.addForm({ title: 'Test', questions });
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

it.each<[string, string, unknown]>([
  ['short_text', 'q= Hello ', 'Hello'],
  ['long_text', 'q=one%0D%0Atwo', 'one\ntwo'],
  ['multiple_choice', 'q=One&q=Two', ['One', 'Two']],
  ['phone', 'q=49&q[country]=Germany', { country_name: 'Germany', value: '49' }],
  ['name', 'q[first_name]=Mia', { first_name: 'Mia', last_name: '' }],
  ['address', 'q[city]=Berlin', { address: expect.arrayContaining([{ label: 'City', content: 'Berlin' }]) as unknown }],
])('an answer of kind %s becomes what the service sends', async (kind, fields, expected) => {
  const form = formOf({ label: 'Q', slug: 'q', kind });
  for (const sent of [`${fields}&other=x`, '']) expect((await post(form, new URLSearchParams(sent))).status).toBe(200);
  expect(answers(form)).toEqual([{ q: expected }, {}]);
});

it('an uploaded file is found at its address, which redirects to the object store', async () => {
  const form = formOf({ label: 'CV', slug: 'cv', kind: 'file_upload' });
  const body = new FormData();
  body.append('cv', new File(['ten years'], 'my cv.txt', { type: 'text/plain' }));
  await post(form, body);
  const [{ id } = { id: '' }] = [...emulator.workspace.files.values()].slice(-1);
  const url = `${emulator.url}/files/${id}/my%20cv.txt`;
  expect(answers(form)).toEqual([{ cv: { files: [{ name: 'my cv.txt', url }] } }]);
  const response = await fetch(url);
  expect([response.url, await response.text(), response.headers.get('content-type')]).toEqual([
    `${emulator.url}/object-store/${id}/my%20cv.txt`,
    'ten years',
    'text/plain',
  ]);
  expect((await fetch(`${emulator.url}/files/unknown/x`)).status).toBe(404);
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
