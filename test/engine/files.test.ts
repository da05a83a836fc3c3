import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import {
  type Emulator,
  type FaultEffect,
  type Form,
  type Json,
  type QuestionInput,
  type RequestRecord,
  startEmulator,
  type StoredFile,
} from '../../emulator/index.ts';
import { NeetoForm } from '../../nodes/NeetoForm/NeetoForm.node';
import { anyText, KEY, range, useHarness, type Options } from '../support/harness';
import { clearLog, deepText, loggedText, runNode } from '../support/engine';
import { useFastClock } from './fastClock';

/** The object store that the addresses of files lead to, as with the real service on another host: here on another port. */
let store: Emulator;
beforeEach(async () => {
  store = await startEmulator({ apiKey: KEY });
});
afterEach(async () => {
  await store.close();
  expect(store.requests.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
});

const harness = useHarness({
  get objectStoreUrl() {
    return store.url;
  },
});

/** What an answer says of a file. */
type Upload = Record<'name' | 'url', string>;

/** A file as a respondent uploads it: its address is at the service, its bytes are in the object store. */
function upload(name: string, data: Uint8Array = randomBytes(5_000), type = 'application/pdf'): Upload {
  const file = harness.emulator.workspace.addFile({ name, type, data });
  store.workspace.addFile(file);
  return { name, url: `${harness.emulator.url}/files/${file.id}/${encodeURIComponent(name)}` };
}

const bytesOf = ({ url }: Upload) =>
  Buffer.from([...store.workspace.files.values()].find(({ id }: StoredFile) => url.includes(id))?.data ?? []);

const forever = { times: Infinity };

let form: Form;
function formWith(...questions: QuestionInput[]): void {
  form = harness.emulator.workspace.addForm({ title: 'Jobs', questions });
}

let age = 0;
const submit = (answers: Record<string, Json>) =>
  harness.emulator.workspace.addSubmission(form.id, {
    createdAt: Date.parse('2026-02-09T08:00:00Z') + age++ * 1000,
    answers,
  });

const RESUME: QuestionInput = { label: 'Resume', kind: 'file_upload' };

const parameters = (options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  resource: 'submission',
  operation: 'getAll',
  formId: form.id,
  sort: { order: 'asc' },
  options: { downloadFiles: true, ...options },
  ...more,
});
const read = async (options: Record<string, unknown> = {}, more: Record<string, unknown> = {}, run: Options = {}) =>
  await harness.run(parameters(options, more), run);

const content = (binary: IBinaryData | undefined) => Buffer.from(binary?.data ?? '', 'base64');
const keys = (item: INodeExecutionData | undefined) => Object.keys(item?.binary ?? {});
const missing = (item: INodeExecutionData | undefined) =>
  item?.json['files_not_downloaded'] as IDataObject[] | undefined;

/** What was fetched beside the interface, and from the object store. */
const fetched = () => [...harness.emulator.requests.filter(({ path }) => !path.startsWith('/api/')), ...store.requests];

/** One submission with one file, its fetching spoiled; the item and what it says. */
async function readSpoiled(
  spoil: () => void,
  options: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
): Promise<{ item: INodeExecutionData | undefined; error: unknown }> {
  formWith(RESUME, { label: 'Name' });
  submit({ resume: { files: [upload('cv.pdf')] }, name: 'Mia' });
  spoil();
  const [item] = await read(options, more);
  expect(item?.json['answers']).toMatchObject({ Name: 'Mia' });
  return { item, error: missing(item)?.[0]?.['error'] };
}

describe('Download Files', () => {
  it('attaches the files of an answer, byte for byte, named by question and number', async () => {
    formWith(RESUME, { label: 'Photo', kind: 'file_upload', slug: 'file-upload-2' });
    const [cv, letter, photo] = [
      upload('cv.pdf'),
      upload('letter.txt', Buffer.from('Dear all'), 'text/plain; charset=utf-8'),
      upload('me.png', randomBytes(70_000), 'image/png'),
    ];
    submit({ resume: { files: [cv, letter] }, 'file-upload-2': [photo] });
    const [item] = await read();
    expect(keys(item)).toEqual(['Resume_1', 'Resume_2', 'Photo_1']);
    expect(item?.binary).toMatchObject({
      Resume_1: { fileName: 'cv.pdf', mimeType: 'application/pdf', fileExtension: 'pdf', bytes: 5_000 },
      Resume_2: { fileName: 'letter.txt', mimeType: 'text/plain' },
      Photo_1: { fileName: 'me.png', mimeType: 'image/png', bytes: 70_000 },
    });
    expect([cv, letter, photo].map(bytesOf)).toEqual(Object.values(item?.binary ?? {}).map(content));
    expect(item?.json).not.toHaveProperty('files_not_downloaded');
    expect(item?.pairedItem).toEqual({ item: 0 });
  });

  it('is off when nothing is said', async () => {
    formWith(RESUME);
    submit({ resume: { files: [upload('cv.pdf')] } });
    const [item] = await harness.run({ resource: 'submission', operation: 'getAll', formId: form.id });
    expect(item).not.toHaveProperty('binary');
    expect(fetched()).toEqual([]);
  });

  it("attaches what a respondent uploaded on the form's page", async () => {
    formWith(RESUME);
    const page = new FormData();
    page.append('resume', new File(['from the page'], 'page.txt', { type: 'text/plain' }));
    await fetch(`${harness.emulator.url}/forms/${form.id}/attempt`, { method: 'POST', body: page });
    for (const file of harness.emulator.workspace.files.values()) store.workspace.addFile(file);
    const [item] = await read();
    expect(item?.binary?.['Resume_1']).toMatchObject({ fileName: 'page.txt', mimeType: 'text/plain' });
    expect(content(item?.binary?.['Resume_1']).toString()).toBe('from the page');
  });

  it.each(['simplified', 'row', 'raw'])(
    'leaves the data of %s output as it is, and says beside it what is missing',
    async (output) => {
      formWith(RESUME);
      const cv = upload('cv.pdf');
      submit({ resume: { files: [{ name: 'gone.pdf', url: `${harness.emulator.url}/files/unknown/gone.pdf` }, cv] } });
      const [plain] = await read({ downloadFiles: false }, { output });
      const [item] = await read({}, { output });
      const { files_not_downloaded: said, ...others } = item?.json ?? {};
      const error = 'The file no longer exists (status 404). It may have been deleted.';
      expect(others).toEqual(plain?.json);
      expect(said).toEqual(
        output === 'row' ? `Resume, gone.pdf: ${error}` : [{ question: 'Resume', name: 'gone.pdf', error }],
      );
      expect(keys(item)).toEqual(['Resume_2']);
      expect(content(item?.binary?.['Resume_2'])).toEqual(bytesOf(cv));
    },
  );

  it('overwrites no answer to a question called files_not_downloaded', async () => {
    formWith(RESUME, { label: 'files_not_downloaded', slug: 'odd' });
    submit({ resume: { files: [{ name: 'a', url: 'http://10.0.0.1/a' }] }, odd: 'mine' });
    const [item] = await read({}, { output: 'row' });
    expect(item?.json).toMatchObject({
      files_not_downloaded: 'mine',
      'files_not_downloaded (2)': anyText(/^Resume, a: The file was not downloaded/),
    });
  });

  it('links the items to their input items', async () => {
    formWith(RESUME);
    submit({ resume: { files: [upload('cv.pdf')] } });
    const items = await read({}, {}, { items: [{}, {}] });
    expect(items.map(({ pairedItem, binary }) => [pairedItem, Object.keys(binary ?? {})])).toEqual([
      [{ item: 0 }, ['Resume_1']],
      [{ item: 1 }, ['Resume_1']],
    ]);
  });

  it('downloads nothing for an agent, which takes text alone', async () => {
    formWith(RESUME);
    submit({ resume: { files: [upload('cv.pdf')] } });
    const tool = new NeetoForm();
    tool.description = { ...tool.description, name: 'neetoFormTool' };
    const items = await runNode(tool, { credentials: harness.credentials, parameters: parameters() });
    expect(items).toHaveLength(1);
    expect(fetched()).toEqual([]);
  });
});

describe('the key of a file', () => {
  it.each([
    ['Lebenslauf (PDF, max. 5 MB)!', 'Lebenslauf_PDF_max_5_MB_1'],
    ['履歴書', '履歴書_1'],
    ['रिज़्यूमे', 'रिज़्यूमे_1'],
    ['CV – ваше резюме?', 'CV_ваше_резюме_1'],
    ['a.b["c"]', 'a_b_c_1'],
    ['2026-cv_final', '2026-cv_final_1'],
    ['???', 'File_1'],
    ['__proto__', 'proto___2_1'],
  ])('of the question %s is %s', async (label, key) => {
    formWith({ label, slug: 'q', kind: 'file_upload' });
    submit({ q: { files: [upload('a.txt')] } });
    const [item] = await read();
    expect(keys(item)).toEqual([key]);
  });

  it('is told apart when questions read alike, and is the same whichever was answered', async () => {
    formWith(
      ...['CV', 'CV', 'CV?', 'CV (2)'].map((label, index) => ({
        label,
        slug: `q${index}`,
        position: index + 1,
        kind: 'file_upload',
      })),
    );
    const answer = () => ({ files: [upload('a.txt')] });
    submit({ q0: answer(), q1: answer(), q2: answer(), q3: answer() });
    submit({ q1: answer() });
    submit({ q3: answer() });
    for (const output of ['simplified', 'raw']) {
      const [all, second, fourth] = (await read({}, { output })).map(keys);
      expect(all).toEqual(['CV_1', 'CV_2_1', 'CV_3_1', 'CV_2_2_1']);
      expect(second).toEqual([all?.[1]]);
      expect(fourth).toEqual([all?.[3]]);
    }
  });

  it.each(['simplified', 'raw'])(
    'is the same in %s output when an earlier question of that name was skipped: the form is asked once',
    async (output) => {
      formWith({ ...RESUME, slug: 'first' }, { ...RESUME, slug: 'second' });
      submit({ second: { files: [upload('a.txt')] } });
      expect((await read({}, { output })).map(keys)).toEqual([['Resume_2_1']]);
      expect(harness.requests().filter((asked) => asked.includes('/v2/'))).toHaveLength(2);
    },
  );

  it('goes by slug when answers do', async () => {
    formWith({ label: 'Your resume', slug: 'file-upload-7', kind: 'file_upload' });
    submit({ 'file-upload-7': { files: [upload('a.txt'), { name: 'b', url: 'ftp://x' }] } });
    for (const output of ['simplified', 'raw']) {
      const [item] = await read({ answerKey: 'slug' }, { output });
      expect(keys(item)).toEqual(['file-upload-7_1']);
      expect(missing(item)).toMatchObject([{ question: 'file-upload-7', name: 'b' }]);
    }
  });
});

describe('the name and type of a file', () => {
  const downloaded = async (file: Upload) => {
    formWith(RESUME);
    submit({ resume: { files: [file] } });
    const [item] = await read();
    return item?.binary?.['Resume_1'];
  };

  it('come from the answer, and from the server where the answer says nothing', async () => {
    const file = upload('Lebenslauf ä.pdf');
    expect(await downloaded({ ...file, name: 'my.pdf' })).toMatchObject({ fileName: 'my.pdf' });
    expect(await downloaded({ ...file, name: '' })).toMatchObject({ fileName: 'Lebenslauf ä.pdf' });
  });

  it.each<[headers: Record<string, string>, name: string]>([
    [{ 'content-disposition': 'inline; filename="a \\"b\\".txt"' }, 'a "b".txt'],
    [{ 'content-disposition': 'attachment; filename=plain.txt; size=3' }, 'plain.txt'],
    [{ 'content-disposition': 'attachment; filename="fallback.txt"; filename*=UTF-8\'\'%E2%82%AC.txt' }, '€.txt'],
    [{ 'content-disposition': 'attachment; filename="../../etc/passwd"' }, 'passwd'],
    [{ 'content-disposition': 'attachment; filename="%zz"' }, '%zz'],
    [{ 'content-disposition': 'attachment' }, 'from the address.bin'],
    [{}, 'from the address.bin'],
  ])('with %p are %s', async (headers, name) => {
    harness.emulator.fail({ when: { path: /^\/files/ }, with: { status: 200, body: 'abc', headers } });
    expect(
      await downloaded({ name: '', url: `${harness.emulator.url}/files/1/from%20the%20address.bin?x=1` }),
    ).toMatchObject({ fileName: name });
  });

  it.each(['../../evil.sh', '..\\..\\evil.sh', '/etc/evil.sh', 'evil\u0000.sh'])(
    'are never a path: %p',
    async (name) => {
      const binary = await downloaded({ ...upload('x'), name });
      expect(binary?.fileName).toBe('evil.sh');
      expect(binary).not.toHaveProperty('directory');
    },
  );

  it.each([
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\u2066b\u2069\u200e\u061c.txt', 'ab.txt'],
    ['a\u2028b\u0007\ud800.txt', 'ab.txt'],
    [`${'x'.repeat(5_000)}.pdf`, `${'x'.repeat(196)}.pdf`],
    [`${'x'.repeat(195)}😀😀.pdf`, `${'x'.repeat(195)}.pdf`],
    ['x'.repeat(300), 'x'.repeat(200)],
    [`a.${'b'.repeat(300)}`, `a.${'b'.repeat(198)}`],
    ['👩‍💻.txt', '👩‍💻.txt'],
  ])('have no characters that control how text is shown, and at most 200: %#', async (name, shown) => {
    expect((await downloaded({ ...upload('x'), name }))?.fileName).toBe(shown);
  });

  it('are left to n8n when the server does not tell the type', async () => {
    store.fail({ with: { status: 200 } });
    expect(await downloaded(upload('table.csv'))).toMatchObject({ mimeType: 'text/csv' });
  });
});

describe('which answers hold files', () => {
  const kept = async (kind: string, value: (file: Upload) => Json) => {
    formWith({ label: 'Q', kind });
    submit({ q: value(upload('a.txt')) });
    harness.allowUndocumented();
    const [item] = await read();
    return [keys(item), fetched().length];
  };
  const none = [[], 0];
  const one = [['Q_1'], 2];

  it.each<[shape: string, value: (file: Upload) => Json]>([
    ['{ files }', (file) => ({ files: [{ ...file }] })],
    ['a list', (file) => [{ ...file }]],
  ])('a value that the service has put together, %s, of whatever kind of question', async (_shape, value) => {
    expect(await kept('file_upload', value)).toEqual(one);
    expect(await kept('some_new_kind', value)).toEqual([['Q_1'], 4]);
  });

  it.each<[shape: string, value: (file: Upload) => Json]>([
    ['{ files } as JSON', (file) => JSON.stringify({ files: [file] })],
    ['a list as JSON', (file) => JSON.stringify([file])],
    ['an address', (file) => file.url],
    ['a list of addresses', (file) => [file.url]],
  ])('a text, %s, of a file question only: a respondent can type it into any other', async (_shape, value) => {
    for (const kind of ['short_text', 'long_text', 'website', '']) expect(await kept(kind, value)).toEqual(none);
    expect(await kept('file_upload', value)).toEqual(one);
  });

  it.each<Json>(['cv.pdf', '', null, 7, { address: [{ label: 'url', content: 'x' }] }, { first_name: 'Mia' }, ['Red']])(
    'not %j',
    async (value) => {
      expect(await kept('file_upload', () => value)).toEqual(none);
    },
  );
});

describe('a file that cannot be had never loses its submission:', () => {
  const path = /^\/object-store/;

  it.each<[what: string, effect: FaultEffect, said: RegExp]>([
    ['403', { status: 403 }, /denied access \(status 403\)/],
    ['404', { status: 404, body: '<html>' }, /no longer exists \(status 404\)/],
    ['410', { status: 410 }, /status 410/],
    ['304', { status: 304 }, /returned no file \(status 304\)/],
    ['a redirect that says not where to', { status: 302 }, /returned no file \(status 302\)/],
    ['429 for an hour', { status: 429, headers: { 'Retry-After': '3600' } }, /limits the rate .*status 429/],
    ['503 for an hour', { status: 503, headers: { 'Retry-After': '3600' } }, /could not answer \(status 503\)/],
    ['another scheme', { redirect: 'ftp://files.example.com/a' }, /its address is not https \(files.example.com\)/],
    ['a redirect to http', { redirect: 'http://files.example.com/a' }, /address is not https \(files.example.com\)/],
    ['a redirect into a private network', { redirect: 'https://10.0.0.8/a' }, /a host that is not public \(10.0.0.8\)/],
    ['a redirect to a name inside', { redirect: 'https://a.internal/' }, /a host that is not public \(a.internal\)/],
    ['a redirect with a password', { redirect: 'https://a:b@files.example.com/' }, /contains a user name or password/],
  ])('%s', async (_what, effect, said) => {
    const { item, error } = await readSpoiled(() => store.fail({ when: { path, ...forever }, with: effect }));
    expect(error).toMatch(said);
    expect(item).toMatchObject({ binary: {} });
    expect(store.requests).toHaveLength(1);
  });

  it('a redirect that leads back to itself is followed five times', async () => {
    const { error } = await readSpoiled(() =>
      harness.emulator.fail({ when: { path: /^\/files/, ...forever }, with: { redirect: '/files/round/and-round' } }),
    );
    expect(error).toMatch(/without end/);
    expect(fetched()).toHaveLength(6);
  });

  it('five redirects are followed', async () => {
    const { item } = await readSpoiled(() => {
      const [{ id } = { id: '' }] = harness.emulator.workspace.files.values();
      harness.emulator.fail({ when: { path: /^\/files/, times: 4 }, with: { redirect: `/files/${id}/cv.pdf` } });
    });
    expect(keys(item)).toEqual(['Resume_1']);
    expect(fetched()).toHaveLength(6);
  });

  it.each<[what: string, effect: FaultEffect, said: RegExp]>([
    ['never answered', { hang: true }, /did not arrive within 0.7 seconds/],
    ['a body that never ends', { drip: 10 }, /did not arrive within 0.7 seconds/],
    ['a body that always breaks off', { truncate: true }, /lost before the file was complete/],
    ['a connection that is always reset', { reset: true }, /lost before the file was complete/],
  ])('%s', async (_what, effect, said) => {
    const started = Date.now();
    const { error } = await readSpoiled(
      () => store.fail({ when: { path, ...forever }, with: effect }),
      {},
      { requestOptions: { timeout: 700 } },
    );
    expect(error).toMatch(said);
    expect(Date.now() - started).toBeLessThan(3_000);
  });

  it.each<[what: string, effect: FaultEffect]>([
    ['a 429', { status: 429, headers: { 'Retry-After': '0' } }],
    ['a 503', { status: 503, headers: { 'Retry-After': '0' } }],
    ['a reset', { reset: true }],
    ['a body that breaks off', { truncate: true }],
  ])('%s that passes is got over', async (_what, effect) => {
    const { item, error } = await readSpoiled(() => store.fail({ when: { path }, with: effect }));
    expect(error).toBeUndefined();
    expect(content(item?.binary?.['Resume_1'])).toEqual(
      Buffer.from([...store.workspace.files.values()][0]?.data ?? []),
    );
    expect(store.requests).toHaveLength(2);
  });

  it('another file of the submission is still there, and so are the other submissions', async () => {
    formWith(RESUME);
    submit({
      resume: { files: [upload('a.txt'), { name: 'b.txt', url: 'https://192.168.0.1/b.txt' }, upload('c.txt')] },
    });
    submit({ resume: { files: [upload('d.txt')] } });
    const items = await read();
    expect(items.map(keys)).toEqual([['Resume_1', 'Resume_3'], ['Resume_1']]);
    expect(items.map(missing)).toMatchObject([[{ question: 'Resume', name: 'b.txt' }], undefined]);
  });
});

/** Waits until nobody is connected any more; fails when somebody stays. */
async function untilClosed({ app }: Emulator): Promise<void> {
  for (const _try of range(100)) {
    if ((await new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))) === 0) return;
    await wait(10);
  }
  throw new Error('A connection stays open');
}

describe('the size limit', () => {
  it.each([
    ['10 MB when nothing is said', {}, 10],
    ['what the option says', { maxFileSize: 0.5 }, 0.5],
  ])('is %s, to the byte', async (_what, options, megabytes) => {
    formWith(RESUME);
    const bytes = megabytes * 1024 * 1024;
    submit({
      resume: { files: [upload('just.bin', Buffer.alloc(bytes)), upload('more.bin', Buffer.alloc(bytes + 1))] },
    });
    const [item] = await read(options);
    expect(item?.binary).toMatchObject({ Resume_1: { bytes } });
    const error = `The file is larger than ${megabytes} MB. Raise 'Max File Size (MB)' to download it.`;
    expect(missing(item)).toEqual([{ question: 'Resume', name: 'more.bin', error }]);
  });

  it('is held against what the headers say before the body is read', async () => {
    formWith(RESUME);
    submit({ resume: { files: [upload('a.bin', Buffer.alloc(1.5 * 1024 * 1024))] } });
    // Who reads it gets three quarters of a megabyte, and tries again.
    store.fail({ when: forever, with: { truncate: true } });
    const [item] = await read({ maxFileSize: 1 });
    expect(missing(item)?.[0]?.['error']).toContain('larger than 1 MB');
    expect(store.requests).toHaveLength(1);
  });

  it('ends a body that never ends, whatever the headers say, and its connection', async () => {
    const started = Date.now();
    const { error } = await readSpoiled(
      () => store.fail({ when: { path: /^\/object-store/ }, with: { drip: 100_000 } }),
      { maxFileSize: 1 },
    );
    expect(error).toContain('larger than 1 MB');
    expect(Date.now() - started).toBeLessThan(5_000);
    await untilClosed(store);
  });

  it.each([false, '={{ false }}'])('does not matter when Download Files is %p', async (downloadFiles) => {
    formWith(RESUME);
    submit({ resume: { files: [upload('cv.pdf')] } });
    const [item] = await read({ downloadFiles, maxFileSize: 0, allowedFileHosts: '*' });
    expect(item?.json).toHaveProperty('answers');
    expect(fetched()).toEqual([]);
  });
});

describe('Allowed File Hosts', () => {
  const hostOf = ({ url }: Emulator) => new URL(url).host;
  /** A file whose address is in the object store, a host that is not the service. */
  const elsewhere = (name: string): Upload => {
    const { url } = upload(name);
    return { name, url: url.replace('/files/', '/object-store/').replace(harness.emulator.url, store.url) };
  };

  it('is empty by default: a respondent cannot make n8n connect to another host', async () => {
    formWith(RESUME);
    const hosts = ['127.0.0.1.nip.io', 'kubernetes.default.svc', 'vault.service.consul', 'printer.fritz.box'];
    submit({
      resume: { files: [elsewhere('a.txt'), ...hosts.map((host) => ({ name: host, url: `https://${host}/a` }))] },
    });
    const [item] = await read();
    expect(missing(item)?.map(({ error }) => error)).toEqual(
      [hostOf(store), ...hosts].map(
        (host) => `The file was not downloaded: ${host} is not in 'Allowed File Hosts'. Add it there if you trust it.`,
      ),
    );
    expect(fetched()).toEqual([]);
  });

  it.each(['files.example.com, HOST', '={{ ["files.example.com", "HOST"] }}'])(
    'allows the hosts that are in it, and no other: %s',
    async (list) => {
      formWith(RESUME);
      submit({ resume: { files: [elsewhere('a.txt'), { name: 'b', url: 'http://127.0.0.1:9/b' }] } });
      const [item] = await read({ allowedFileHosts: list.replace('HOST', hostOf(store)) });
      expect(keys(item)).toEqual(['Resume_1']);
      expect(missing(item)).toMatchObject([{ name: 'b', error: anyText(/127\.0\.0\.1:9 is not in/) }]);
    },
  );
});

it.each([
  [{ maxFileSize: 0 }, "'Max File Size (MB)' is not more than 0"],
  [{ maxFileSize: -1 }, "'Max File Size (MB)' is not more than 0"],
  [{ maxFileSize: 'x' }, "'Max File Size (MB)' is not a number: x"],
  [{ allowedFileHosts: '*' }, "'Allowed File Hosts' has an entry that is not a host name: *"],
  [
    { allowedFileHosts: 'files.example.com, a b/c' },
    "'Allowed File Hosts' has an entry that is not a host name: a b/c",
  ],
])('an option that makes no sense is refused before a request: %j', async (options, message) => {
  formWith(RESUME);
  expect((await harness.refused(parameters(options))).message).toBe(message);
});

describe('a server that sends nothing for ten seconds', () => {
  useFastClock(20);

  it.each<[what: string, effect: FaultEffect]>([
    ['before the headers', { hang: true }],
    ['after the headers', { hang: 'after headers' }],
  ])('%s fails that file without a retry, and the files that wait for it, at once', async (_what, effect) => {
    formWith(RESUME);
    for (const index of range(12)) submit({ resume: { files: [upload(`${index}.bin`)] } });
    store.fail({ when: forever, with: effect });
    const started = Date.now();
    const items = await read();
    // Ten seconds of the node's clock, and time for a busy machine.
    expect(Date.now() - started).toBeGreaterThanOrEqual(10_000 / 20);
    expect(Date.now() - started).toBeLessThan(3_000);
    const host = new URL(store.url).host;
    expect(items.map((item) => missing(item)?.[0]?.['error'])).toEqual(
      range(12).map(
        () =>
          `The server ${host} sent nothing for 10 seconds. Try again later, or download the file from its address with an HTTP Request node.`,
      ),
    );
    expect(store.requests.length).toBeLessThanOrEqual(8);
  });
});

describe('the API key', () => {
  const headersOf = (requests: RequestRecord[]) => requests.map(({ headers }) => Object.keys(headers).toSorted());

  it('goes with no request for a file, not even to the workspace itself', async () => {
    formWith(RESUME);
    const forms = `${harness.emulator.url}/api/external/v2/forms`;
    submit({ resume: { files: [upload('a.txt'), { name: 'forms.json', url: forms }] } });
    harness.allowUndocumented();
    harness.emulator.requests.length = 0;
    const items = await runNode(new NeetoForm(), { credentials: harness.credentials, parameters: parameters() });
    // Without the key, the interface lets nobody in.
    expect(missing(items[0])).toMatchObject([{ name: 'forms.json', error: anyText(/status 401/) }]);
    const asked = harness.emulator.requests.filter(
      ({ path }) => path === '/api/external/v2/forms' || path.startsWith('/files'),
    );
    expect([...asked, ...store.requests]).toHaveLength(3);
    expect(headersOf([...asked, ...store.requests])).toEqual(
      range(3).map(() => ['accept', 'accept-encoding', 'connection', 'host', 'user-agent']),
    );
    // The harness holds that what goes to the interface asks for JSON: this one did not.
    harness.emulator.requests.length = 0;
  });

  it('is in no item and no log of a run with files', async () => {
    formWith(RESUME);
    submit({ resume: { files: [upload('a.txt'), { name: 'b', url: 'https://10.0.0.1/' }] } });
    clearLog();
    expect(deepText(await read()) + loggedText()).not.toContain(KEY);
  });
});

describe('many files', () => {
  it('are downloaded six at a time, those of several input items too', async () => {
    formWith(RESUME);
    for (const index of range(12)) submit({ resume: { files: [upload(`${index}.bin`), upload(`${index}b.bin`)] } });
    let most = 0;
    const now = () => harness.emulator.inFlight.now + store.inFlight.now;
    for (const server of [harness.emulator, store]) {
      server.quirks.latencyMs = 3;
      server.onRequest(() => {
        most = Math.max(most, now());
      });
    }
    const items = await read({}, {}, { items: [{}, {}] });
    expect(items.flatMap(keys)).toHaveLength(48);
    expect(most).toBe(6);
  });

  it('go one at a time after the first "too many requests"', async () => {
    formWith(RESUME);
    for (const index of range(20)) submit({ resume: { files: [upload(`${index}.bin`)] } });
    store.quirks.latencyMs = 3;
    store.fail({ with: { status: 429, headers: { 'Retry-After': '0' } } });
    const counts: number[] = [];
    store.onRequest(() => {
      counts.push(store.inFlight.now);
    });
    expect((await read()).flatMap(keys)).toHaveLength(20);
    expect(counts.slice(8).filter((count) => count > 1)).toEqual([]);
  });
});

describe('a canceled execution', () => {
  it.each<[what: string, effect: FaultEffect]>([
    ['before the answer', { hang: true }],
    ['in the middle of a body', { drip: 10 }],
    ['while waiting to try again', { status: 503, headers: { 'Retry-After': '20' } }],
  ])('stops at once, %s', async (_what, effect) => {
    formWith(RESUME);
    for (const index of range(10)) submit({ resume: { files: [upload(`${index}.bin`)] } });
    const cancel = new AbortController();
    store.fail({ when: forever, with: effect });
    const begun = new Promise<void>((resolve) => {
      store.onRequest(() => resolve());
    });
    const started = Date.now();
    const outcome = harness.fail(parameters(), { signal: cancel.signal });
    await begun;
    await wait(50);
    const asked = fetched().length;
    cancel.abort();
    expect((await outcome).message).toBe('The execution was canceled');
    expect(Date.now() - started).toBeLessThan(3_000);
    expect(fetched().length).toBe(asked);
  });
});
