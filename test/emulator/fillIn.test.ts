import {
  believableWorkspace,
  createClock,
  startEmulator,
  type Emulator,
  type Form,
  type Json,
  type QuestionInput,
} from '../../emulator/index.ts';
import { firstOf, send, type WireSubmission } from './wire.ts';

const NOW = Date.parse('2026-02-09T06:00:00Z');
let emulator: Emulator;

beforeEach(async () => {
  emulator = await startEmulator({ clock: createClock(NOW), seed: believableWorkspace() });
});
afterEach(() => emulator.close());

const page = (form: Form): string => `${emulator.url}/forms/${encodeURIComponent(form.id)}/attempt`;

const formOf = (...questions: QuestionInput[]): Form => emulator.workspace.addForm({ title: 'Test', questions });

const post = async (form: Form, fields: Array<[string, string | File]>): Promise<{ status: number; text: string }> => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value);
  const response = await fetch(page(form), { method: 'POST', body: data });
  return { status: response.status, text: await response.text() };
};

const newest = async (form: Form): Promise<WireSubmission> =>
  firstOf(
    (await send(emulator, 'GET', `/v2/forms/${form.id}/submissions?order=desc&page=1&page_size=1`)).data.submissions,
  );

describe('GET attempt_url', () => {
  it('shows the questions of the form, without a key', async () => {
    const { data } = await send(emulator, 'GET', '/v2/forms?status=active');
    for (const { attempt_url, title } of data.forms) {
      const response = await fetch(attempt_url);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain(`<h1>${title}</h1>`);
    }
  });

  it('has a control for every kind, each with a name and a label', async () => {
    const [, contact, application] = emulator.workspace.forms;
    for (const form of [contact, application]) {
      if (!form) throw new Error('The seed has three forms');
      const text = await (await fetch(page(form))).text();
      for (const { label, slug, id, isHidden } of form.questions) {
        if (isHidden) continue;
        expect(text).toContain(label);
        expect(text).toContain(`name="${slug}`);
        expect(text).toMatch(new RegExp(`(<label for="${id}">|<fieldset class="question" id="${id}")`));
      }
    }
  });

  it.each([
    ['short_text', 'type="text"'],
    ['long_text', '<textarea'],
    ['email', 'type="email"'],
    ['website', 'type="url"'],
    ['number', 'type="number"'],
    ['date', 'type="date"'],
    ['time', 'type="time"'],
    ['single_choice', 'type="radio"'],
    ['multiple_choice', 'type="checkbox"'],
    ['drop_down', '<select'],
    ['star_rating', 'value="5"'],
    ['opinion_scale', 'value="10"'],
    ['phone', 'type="tel"'],
    ['address', 'autocomplete="postal-code"'],
    ['name', 'autocomplete="family-name"'],
    ['file_upload', 'type="file"'],
    ['some_new_kind', 'type="text"'],
  ])('a question of kind %s has %s', async (kind, control) => {
    expect(await (await fetch(page(formOf({ label: 'Q', kind, options: ['One', 'Two'] })))).text()).toContain(control);
  });

  it('marks required questions, and only those', async () => {
    const text = await (await fetch(page(formOf({ label: 'Must', isRequired: true }, { label: 'May' })))).text();
    expect(text).toMatch(/Must <span class="required" title="required">\*<\/span>/);
    expect(text.match(/\brequired>/g)).toHaveLength(1);
    expect(text).toContain('must be answered');
  });

  it('does not show hidden questions', async () => {
    const text = await (await fetch(page(formOf({ label: 'Shown' }, { label: 'Secret', isHidden: true })))).text();
    expect(text).toContain('Shown');
    expect(text).not.toContain('Secret');
  });

  it('escapes everything that comes from the form', async () => {
    const evil = `<script>alert("1")</script>'&`;
    const form = emulator.workspace.addForm({
      title: evil,
      questions: [
        { label: evil, slug: evil, kind: 'single_choice', options: [evil], id: evil },
        { label: evil, slug: `${evil}2`, kind: 'address' },
      ],
    });
    const { text } = await post(form, [
      [evil, evil],
      [`${evil}2[city]`, evil],
    ]);
    const shown = await (await fetch(page(form))).text();
    for (const html of [text, shown]) {
      expect(html).not.toContain('<script');
      expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;');
    }
  });

  it('a form with a hostile id has a page', async () => {
    const form = emulator.workspace.addForm({ id: 'a/b c?%2e', title: 'Odd' });
    const { data } = await send(emulator, 'GET', `/v2/forms/${encodeURIComponent(form.id)}`);
    expect((await fetch(data.attempt_url)).status).toBe(200);
  });

  it('an unknown form answers 404, one that is archived, disabled or suspended 410', async () => {
    expect((await fetch(`${emulator.url}/forms/unknown/attempt`)).status).toBe(404);
    expect((await fetch(`${emulator.url}/forms/unknown/attempt`, { method: 'POST' })).status).toBe(404);
    for (const state of [{ isArchived: true }, { isDisabled: true }, { isSuspended: true }]) {
      const form = emulator.workspace.addForm({ title: 'Closed', ...state });
      expect((await fetch(page(form))).status).toBe(410);
      expect((await post(form, [])).status).toBe(410);
      expect(emulator.workspace.submissions(form.id)).toEqual([]);
    }
  });
});

describe('POST attempt_url', () => {
  it('creates a submission and thanks for it', async () => {
    const form = formOf({ label: 'Message', kind: 'long_text' });
    const { status, text } = await post(form, [['message', ' Hello\r\nthere ']]);
    expect(status).toBe(200);
    expect(text).toContain('Thank you!');
    const submission = await newest(form);
    expect(submission).toMatchObject({
      created_at: '2026-02-09T06:00:00.000Z',
      responses: [{ slug: 'message', value: 'Hello\nthere' }],
    });
    expect(text).toContain(submission.id);
  });

  it('takes what a plain HTML form or curl sends', async () => {
    const form = formOf({ label: 'Message' });
    const response = await fetch(page(form), {
      method: 'POST',
      body: new URLSearchParams({ message: 'Grüße & mehr' }),
    });
    expect(response.status).toBe(200);
    expect((await newest(form)).responses[0]?.value).toBe('Grüße & mehr');
  });

  it.each<[string, Array<[string, string]>, Json]>([
    ['email', [['q', 'a@example.com']], 'a@example.com'],
    ['number', [['q', '42']], '42'],
    ['single_choice', [['q', 'Two']], 'Two'],
    ['drop_down', [['q', 'One']], 'One'],
    [
      'multiple_choice',
      [
        ['q', 'One'],
        ['q', 'Two'],
      ],
      ['One', 'Two'],
    ],
    ['multiple_choice', [['q', 'One']], ['One']],
    ['star_rating', [['q', '4']], '4'],
    ['opinion_scale', [['q', '0']], '0'],
    [
      'phone',
      [
        ['q[country]', 'India'],
        ['q', '+91 1'],
      ],
      { country_name: 'India', value: '+91 1' },
    ],
    [
      'name',
      [
        ['q[first_name]', 'Mia'],
        ['q[last_name]', 'Weber'],
      ],
      { first_name: 'Mia', last_name: 'Weber' },
    ],
    [
      'address',
      [['q[city]', 'Pune']],
      {
        address: [
          { label: 'Street address', content: '' },
          { label: 'City', content: 'Pune' },
          { label: 'State', content: '' },
          { label: 'Zip code', content: '' },
          { label: 'Country', content: '' },
        ],
      },
    ],
    ['some_new_kind', [['q', 'text']], 'text'],
  ])('an answer of kind %s from %j has the value %j', async (kind, fields, value) => {
    const form = formOf({ label: 'Q', slug: 'q', kind, options: ['One', 'Two'] });
    expect((await post(form, fields)).status).toBe(200);
    expect((await newest(form)).responses).toMatchObject([{ kind, slug: 'q', value }]);
  });

  it('a skipped question has no response, and a hidden one cannot be answered', async () => {
    const form = formOf(
      { label: 'One' },
      { label: 'Two' },
      { label: 'Three', isHidden: true },
      { label: 'Four', kind: 'phone' },
    );
    await post(form, [
      ['one', ''],
      ['two', 'x'],
      ['three', 'y'],
      ['four[country]', 'India'],
      ['unknown', 'z'],
    ]);
    expect((await newest(form)).responses.map(({ slug }) => slug)).toEqual(['two']);
  });

  it('a missing required answer shows the page again with what is wrong and what was entered, 422', async () => {
    const form = formOf(
      { label: 'Name', isRequired: true },
      { label: 'Message', kind: 'long_text' },
      { label: 'CV', kind: 'file_upload', isRequired: true },
    );
    const { status, text } = await post(form, [
      ['name', '  '],
      ['message', 'kept <text>'],
      ['cv', new File([], '')],
    ]);
    expect(status).toBe(422);
    expect(text).toContain('role="alert"');
    expect(text.match(/<p class="problem"[^>]*>Please answer this question\.<\/p>/g)).toHaveLength(2);
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain('kept &lt;text&gt;');
    expect(emulator.workspace.submissions(form.id)).toEqual([]);
  });

  it('what was chosen stays chosen when the page is shown again', async () => {
    const form = formOf(
      { label: 'Must', isRequired: true },
      { label: 'Pick', kind: 'drop_down', options: ['One', 'Two'] },
      { label: 'Tick', kind: 'multiple_choice', options: ['Three', 'Four'] },
    );
    const { text } = await post(form, [
      ['pick', 'Two'],
      ['tick', 'Four'],
    ]);
    expect(text).toContain('<option value="Two" selected>');
    expect(text).toContain('value="Four" checked');
    expect(text).not.toContain('value="Three" checked');
  });

  it.each([
    ['email', 'nonsense', 'Please enter a valid e-mail address.'],
    ['number', 'many', 'Please enter a number.'],
    ['single_choice', 'Three', 'Please choose from what is offered.'],
    ['multiple_choice', 'Three', 'Please choose from what is offered.'],
    ['drop_down', 'Three', 'Please choose from what is offered.'],
    ['star_rating', '6', 'Please choose from what is offered.'],
  ])('a wrong answer of kind %s is refused: %s', async (kind, value, problem) => {
    const form = formOf({ label: 'Q', kind, options: ['One', 'Two'] });
    const { status, text } = await post(form, [['q', value]]);
    expect(status).toBe(422);
    expect(text).toContain(problem);
  });

  it('a form without questions can be submitted', async () => {
    const form = formOf();
    expect(await (await fetch(page(form))).text()).toContain('no questions yet');
    expect((await fetch(page(form), { method: 'POST' })).status).toBe(200);
    expect((await newest(form)).responses).toEqual([]);
  });

  it('a body that is no form data answers 400', async () => {
    const form = formOf({ label: 'Q' });
    const response = await fetch(page(form), {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: 'nonsense',
    });
    expect(response.status).toBe(400);
  });
});

function filesOf(value: Json | undefined): Array<{ name: string; url: string }> {
  if (typeof value !== 'object' || value === null || !('files' in value)) throw new Error('The answer holds no files');
  return value.files as Array<{ name: string; url: string }>;
}

describe('uploaded files', () => {
  const upload = async (...files: File[]): Promise<Array<{ name: string; url: string }>> => {
    const form = formOf({ label: 'CV', kind: 'file_upload', isRequired: true });
    expect(
      (
        await post(
          form,
          files.map((file) => ['cv', file]),
        )
      ).status,
    ).toBe(200);
    return filesOf((await newest(form)).responses[0]?.value);
  };

  it('are found at their address, through a redirect and without a key', async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 128]);
    const [file] = await upload(new File([bytes], 'Lebenslauf ä/#?.pdf', { type: 'application/pdf' }));
    if (!file) throw new Error('No file was kept');
    expect(file.url).toMatch(new RegExp(`^${emulator.url}/files/[0-9a-f-]{36}/`));
    emulator.requests.length = 0;
    const redirect = await fetch(file.url, { redirect: 'manual' });
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('location')).toMatch(/^\/object-store\//);
    const response = await fetch(file.url);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('Lebenslauf ä/#?.pdf')}`,
    );
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(emulator.requests.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true);
  });

  it('can be several in one answer', async () => {
    const files = await upload(new File(['1'], 'one.txt'), new File(['2'], 'two.txt'));
    expect(files.map(({ name }) => name)).toEqual(['one.txt', 'two.txt']);
    expect(await (await fetch(files[1]?.url ?? '')).text()).toBe('2');
  });

  it('are not kept when the form is shown again', async () => {
    const before = emulator.workspace.files.size;
    const form = formOf({ label: 'CV', kind: 'file_upload' }, { label: 'Must', isRequired: true });
    expect((await post(form, [['cv', new File(['1'], 'one.txt')]])).status).toBe(422);
    expect(emulator.workspace.files.size).toBe(before);
  });

  it('can lie in an object store at another address', async () => {
    const other = await startEmulator({ objectStoreUrl: 'https://store.example.com' });
    const { id } = other.workspace.addFile({ name: 'a b.txt', type: 'text/plain', data: new Uint8Array([1]) });
    const { headers } = await fetch(`${other.url}/files/${id}/x`, { redirect: 'manual' });
    expect(headers.get('location')).toBe(`https://store.example.com/object-store/${id}/a%20b.txt`);
    await other.close();
  });

  it('that are unknown answer 404', async () => {
    expect((await fetch(`${emulator.url}/files/unknown/x`)).status).toBe(404);
    expect((await fetch(`${emulator.url}/object-store/unknown/x`)).status).toBe(404);
  });

  it('of the believable workspace can be fetched', async () => {
    const { data } = await send(emulator, 'GET', '/v2/forms?status=active');
    const { data: list } = await send(emulator, 'GET', `/v2/forms/${data.forms[1]?.id}/submissions?page=1&page_size=1`);
    const answer = firstOf(list.submissions).responses.find(({ kind }) => kind === 'file_upload');
    expect(await (await fetch(firstOf(filesOf(answer?.value)).url)).text()).toContain('Curriculum vitae');
  });
});
