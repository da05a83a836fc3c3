import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { type Emulator, type Form, type Json, type QuestionInput, startEmulator } from '../../emulator/index.ts';
import { anyText, KEY, range, useHarness, type Options } from '../support/harness';
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
  Buffer.from([...store.workspace.files.values()].find(({ id }) => url.includes(id))?.data ?? []);

const RESUME: QuestionInput = { label: 'Resume', kind: 'file_upload' };

let form: Form;
const formWith = (...questions: QuestionInput[]): void => {
  form = harness.emulator.workspace.addForm({ title: 'Jobs', questions });
};
beforeEach(() => formWith(RESUME));

let age = 0;
const submit = (answers: Record<string, Json>) => {
  const createdAt = Date.parse('2026-02-09T08:00:00Z') + age++ * 1000;
  harness.emulator.workspace.addSubmission(form.id, { createdAt, answers });
};
/** A submission with these files, or a file of its own. */
const submitFiles = (...files: Upload[]) =>
  submit({ resume: { files: files.length > 0 ? files : [upload(`${age}.pdf`)] } });

const parameters = (options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => ({
  resource: 'submission',
  operation: 'getAll',
  formId: form.id,
  output: 'simplified',
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

/** Reads one submission with one file. @returns its item and why there is no file */
async function readOne(options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  submitFiles(upload('cv.pdf'));
  const [item] = await read(options, more);
  expect(item?.json).toHaveProperty('answers.Resume');
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

  it('is off by default, and then its other options do not matter', async () => {
    const { item } = await readOne({ downloadFiles: undefined, maxFileSizeMb: 0, allowedFileHosts: '*' });
    expect(item).not.toHaveProperty('binary');
    expect(fetched()).toEqual([]);
  });

  it.each(['simplified', 'row', 'raw'])(
    'leaves the data of %s output as it is, and says beside it what is missing',
    async (output) => {
      formWith({ ...RESUME, slug: 'skipped' }, RESUME);
      const cv = upload('cv.pdf');
      submitFiles({ name: 'gone.pdf', url: `${harness.emulator.url}/files/unknown/gone.pdf` }, cv);
      const [plain] = await read({ downloadFiles: false }, { output });
      const [item] = await read({}, { output });
      const { files_not_downloaded: said, ...others } = item?.json ?? {};
      const error = 'The file no longer exists (status 404). It may have been deleted.';
      expect(others).toEqual(plain?.json);
      expect(said).toEqual(
        output === 'row' ? `Resume (2), gone.pdf: ${error}` : [{ question: 'Resume (2)', name: 'gone.pdf', error }],
      );
      // The form names files, in raw output too.
      expect(keys(item)).toEqual(['Resume_2_2']);
      expect(content(item?.binary?.['Resume_2_2'])).toEqual(bytesOf(cv));
    },
  );

  it("goes through the proxy of the node's Request Options", async () => {
    const proxied: string[] = [];
    const proxy = createServer(({ url = '', method, headers }, response) => {
      proxied.push(new URL(url).pathname);
      request(url, { method, headers }, (from) => {
        response.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(response);
      }).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    submitFiles(upload('cv.pdf'));
    const [item] = await read({}, { requestOptions: { proxy: `http://127.0.0.1:${port}` } });
    proxy.close();
    expect(keys(item)).toEqual(['Resume_1']);
    expect(proxied.filter((path) => !path.startsWith('/api/'))).toEqual(fetched().map(({ path }) => path));
    expect(proxied).toHaveLength(4);
  });

  it('downloads nothing for an agent, which takes text alone', async () => {
    submitFiles();
    expect(await read({}, {}, { asTool: true })).toHaveLength(1);
    expect(fetched()).toEqual([]);
  });
});

describe('on a clock that runs faster', () => {
  useFastClock(20);

  it("a file must arrive within the timeout of the node's Request Options", async () => {
    store.fail({ when: { times: Infinity }, with: { hang: true } });
    const { error } = await readOne({}, { requestOptions: { timeout: 4_000 } });
    expect(error).toMatch(/did not arrive within 4 seconds/);
  });
});

it('the size limit is what the option says, to the byte', async () => {
  const bytes = 0.5 * 1024 * 1024;
  submitFiles(upload('just.bin', Buffer.alloc(bytes)), upload('more.bin', Buffer.alloc(bytes + 1)));
  const [item] = await read({ maxFileSizeMb: 0.5 });
  expect(item?.binary).toMatchObject({ Resume_1: { bytes } });
  const error = "The file is larger than 0.5 MB. Raise 'Max File Size (MB)' to download it.";
  expect(missing(item)).toEqual([{ question: 'Resume', name: 'more.bin', error }]);
});

describe('the files of one submission', () => {
  const urlOf = ({ path }: { path: string }) => new URL(path, 'http://x').pathname;

  it('are requested once for each address, however often an answer names it', async () => {
    formWith(RESUME, { label: 'Photo', kind: 'file_upload' });
    const cv = upload('cv.pdf');
    submit({
      resume: { files: [...range(60).map(() => cv), upload('letter.pdf')] },
      photo: [{ ...cv, url: ` ${cv.url}` }],
    });
    const [item] = await read();
    expect(keys(item)).toEqual(['Resume_1', 'Resume_61']);
    expect(new Set(store.requests.map(urlOf)).size).toBe(store.requests.length);
    expect(missing(item)).toBeUndefined();
  });

  it('are fifty at most; the others are named in files_not_downloaded', async () => {
    submitFiles(...range(52).map((index) => upload(`${index}.txt`, Buffer.from('x'))));
    const [item] = await read();
    expect(keys(item)).toHaveLength(50);
    const error = anyText(/^Only the first 50 files of a submission are downloaded\./);
    expect(missing(item)).toEqual(['50.txt', '51.txt'].map((name) => ({ question: 'Resume', name, error })));
    expect(store.requests).toHaveLength(50);
  });

  it('have ten times Max File Size together at most', async () => {
    submitFiles(...range(12).map((index) => upload(`${index}.bin`, randomBytes(100_000))));
    submitFiles();
    const [item, other] = await read({ maxFileSizeMb: 0.1 });
    expect(keys(item)).toHaveLength(10);
    const error = anyText(/^The files of one submission are downloaded up to 1 MB together\./);
    expect(missing(item)?.map((file) => file['error'])).toEqual([error, error]);
    expect(keys(other)).toEqual(['Resume_1']);
  });
});

it('Allowed File Hosts allows the hosts that are in it, and no other', async () => {
  const { url } = upload('a.txt');
  const elsewhere = url.replace('/files/', '/object-store/').replace(harness.emulator.url, store.url);
  submitFiles({ name: 'a', url: elsewhere }, { name: 'b', url: 'http://127.0.0.1:9/b' });
  const [item] = await read({ allowedFileHosts: `={{ ["files.example.com", "${new URL(store.url).host}"] }}` });
  expect(keys(item)).toEqual(['Resume_1']);
  expect(missing(item)).toMatchObject([{ name: 'b', error: anyText(/127\.0\.0\.1:9 is not in/) }]);
});

describe('many files', () => {
  it('are downloaded six at a time, those of several input items too, and linked to their input items', async () => {
    for (const index of range(6)) submitFiles(upload(`${index}.bin`), upload(`${index}b.bin`));
    let most = 0;
    const now = () => harness.emulator.inFlight.now + store.inFlight.now;
    for (const server of [harness.emulator, store]) {
      server.quirks.latencyMs = 30;
      server.onRequest(() => {
        most = Math.max(most, now());
      });
    }
    const items = await read({}, {}, { items: [{}, {}] });
    expect(items.map((item) => [item.pairedItem, keys(item)])).toEqual(
      range(12).map((index) => [{ item: index < 6 ? 0 : 1 }, ['Resume_1', 'Resume_2']]),
    );
    expect(most).toBe(6);
  });

  it('go one at a time after the first "too many requests"', async () => {
    range(14).forEach(() => submitFiles());
    store.quirks.latencyMs = 3;
    store.fail({ with: { status: 429, headers: { 'Retry-After': '0' } } });
    const counts: number[] = [];
    store.onRequest(() => {
      counts.push(store.inFlight.now);
    });
    expect((await read()).flatMap(keys)).toHaveLength(14);
    expect(counts.slice(8).filter((count) => count > 1)).toEqual([]);
  });
});
