import { randomBytes } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';
import { addSubmissions, anyText, range } from '../support/harness';
import { keys, missing, RESUME, type Upload, useUploads } from './uploads';

const uploads = useUploads();
const { formWith, harness, read, readOne, submit, submitFiles, upload } = uploads;

const bytesOf = ({ url }: Upload) =>
  Buffer.from([...uploads.store.workspace.files.values()].find(({ id }) => url.includes(id))?.data ?? []);

const content = (binary: IBinaryData | undefined) => Buffer.from(binary?.data ?? '', 'base64');

/** What was fetched beside the interface, and from the object store. */
const fetched = () => [
  ...harness.emulator.requests.filter(({ path }) => !path.startsWith('/api/')),
  ...uploads.store.requests,
];

describe('Download Files', () => {
  it('attaches the files of an answer, of any type, byte for byte, named by question and number', async () => {
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
    expect(uploads.store.requests.map(({ headers }) => headers['accept'])).toEqual(['*/*', '*/*', '*/*']);
    expect(item?.json).not.toHaveProperty('files_not_downloaded');
    expect(item?.pairedItem).toEqual({ item: 0 });
  });

  it('gives no binary data to a submission without files', async () => {
    submit({});
    const [item] = await read();
    expect(item).not.toHaveProperty('binary');
  });

  it('is off by default, and then its other options do not matter', async () => {
    const { item } = await readOne({ downloadFiles: undefined, maxFileSizeMb: 0, allowedFileHosts: '*' });
    expect(item).not.toHaveProperty('binary');
    expect(fetched()).toEqual([]);
  });

  it.each(['simplified', 'row', 'raw'])(
    'leaves the data of %s output as it is, and says beside it what is missing, in a line for each file of a row',
    async (output) => {
      formWith({ ...RESUME, slug: 'skipped' }, RESUME);
      const [name, cv] = ['a.pdf: fine\nPassport, p.pdf', upload('cv.pdf')];
      submitFiles({ name, url: `${harness.emulator.url}/files/unknown/gone.pdf` }, cv);
      const [plain] = await read({ downloadFiles: false }, { output });
      const [item] = await read({}, { output });
      const { files_not_downloaded: said, ...others } = item?.json ?? {};
      const error = 'The file no longer exists (status 404). It may have been deleted.';
      expect(others).toEqual(plain?.json);
      expect(said).toEqual(
        output === 'row'
          ? `Resume (2), a.pdf: fine Passport, p.pdf: ${error}`
          : [{ question: 'Resume (2)', name, error }],
      );
      // The form names files, in raw output too.
      expect(keys(item)).toEqual(['Resume_2_2']);
      expect(content(item?.binary?.['Resume_2_2'])).toEqual(bytesOf(cv));
    },
  );

  it.each(['simplified', 'row', 'raw'])('fetches only the files of the Questions to Include (%s)', async (output) => {
    formWith(RESUME, { label: 'Photo', kind: 'file_upload' });
    submit({ resume: [upload('cv.pdf')], photo: [upload('me.png')] });
    expect(keys((await read({ questionsToInclude: ['photo'] }, { output }))[0])).toEqual(['Photo_1']);
  });

  it("goes through the proxy of the node's Request Options", async () => {
    const { credentials, emulator } = harness;
    // Nothing listens at this address: the emulator answers in its place, as a proxy does, which is sent whole addresses.
    const baseUrl = 'http://127.0.0.1:1';
    const sent: string[] = [];
    emulator.onRequest((request) => {
      sent.push(request.path);
      request.path = request.path.replace(/^http:..[^/]+/, '');
    });
    const { id, name } = emulator.workspace.addFile({ name: 'cv.pdf', type: 'application/pdf', data: randomBytes(9) });
    submitFiles({ name, url: `${baseUrl}/files/${id}/${name}` });
    const run = { credentials: { ...credentials, baseUrl } };
    const [item] = await read({}, { requestOptions: { proxy: emulator.url } }, run);
    expect(keys(item)).toEqual(['Resume_1']);
    // Two requests for the list and the form, and two for the file, whose address redirects to another.
    expect(sent.map((path) => path.startsWith('http://'))).toEqual([true, true, true, true]);
  });

  it('downloads nothing for an agent, which takes text alone', async () => {
    submitFiles();
    expect(await read({}, {}, { asTool: true })).toHaveLength(1);
    expect(fetched()).toEqual([]);
  });
});

describe('the files of one submission', () => {
  const urlOf = ({ path }: { path: string }) => new URL(path, 'http://x').pathname;

  it('are requested once for each address, however often an answer names it, and whatever spaces are around it', async () => {
    formWith(RESUME, { label: 'Photo', kind: 'file_upload' });
    const cv = upload('cv.pdf');
    const spaced = { ...cv, url: `\u00a0${cv.url}\n` };
    submit({ resume: { files: [spaced, ...range(60).map(() => cv), upload('letter.pdf')] }, photo: [spaced] });
    const [item] = await read();
    expect(keys(item)).toEqual(['Resume_1', 'Resume_62']);
    expect(new Set(uploads.store.requests.map(urlOf)).size).toBe(uploads.store.requests.length);
    expect(missing(item)).toBeUndefined();
  });

  it('are fifty at most; the others are named in files_not_downloaded', async () => {
    submitFiles(...range(52).map((index) => upload(`${index}.txt`, Buffer.from('x'))));
    const [item] = await read();
    expect(keys(item)).toHaveLength(50);
    const error = anyText(/^Only the first 50 files of a submission are downloaded\./);
    expect(missing(item)).toEqual(['50.txt', '51.txt'].map((name) => ({ question: 'Resume', name, error })));
    expect(uploads.store.requests).toHaveLength(50);
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

describe('many files', () => {
  it('are downloaded six at a time from all servers, for all input items, and linked to these', async () => {
    const { host } = new URL(harness.emulator.url.replace('127.0.0.1', 'localhost'));
    const elsewhere = ({ name, url }: Upload) => ({ name, url: url.replace('127.0.0.1', 'localhost') });
    for (const index of range(6)) submitFiles(upload(`${index}.bin`), elsewhere(upload(`${index}b.bin`)));
    let most = 0;
    const now = () => harness.emulator.inFlight + uploads.store.inFlight;
    for (const server of [harness.emulator, uploads.store]) {
      server.quirks.latencyMs = 30;
      server.onRequest(() => {
        most = Math.max(most, now());
      });
    }
    const items = await read({ allowedFileHosts: host }, {}, { items: [{}, {}] });
    expect(items.map((item) => [item.pairedItem, keys(item)])).toEqual(
      range(12).map((index) => [{ item: index < 6 ? 0 : 1 }, ['Resume_1', 'Resume_2']]),
    );
    expect(most).toBe(6);
  });

  it('hold up no request to the service, however slow they are', async () => {
    const { workspace, quirks } = harness.emulator;
    submitFiles(...range(6).map((index) => upload(`${index}.bin`)));
    const [withFiles] = workspace.forms;
    const long = workspace.addForm({ title: 'Long' });
    addSubmissions(harness.emulator, long, 1_500);
    quirks.latencyMs = 20;
    uploads.store.quirks.latencyMs = 1_500;
    const items = [withFiles, long].map((form) => ({ id: form?.id }));
    expect(await read({}, { formId: '={{ $json.id }}', returnAll: true }, { items })).toHaveLength(1_501);
    const pages = harness.emulator.requests.filter(({ path }) => path.includes(long.id)).map(({ at }) => at);
    expect(Math.max(...pages) - (uploads.store.requests[0]?.at ?? NaN)).toBeLessThan(1_500);
  });

  it('go one at a time after the first "too many requests"', async () => {
    range(14).forEach(() => submitFiles());
    uploads.store.quirks.latencyMs = 3;
    uploads.store.fail({ with: { status: 429, headers: { 'Retry-After': '0' } } });
    const counts: number[] = [];
    uploads.store.onRequest(() => {
      counts.push(uploads.store.inFlight);
    });
    expect((await read({}, {}, { items: [{}, {}] })).flatMap(keys)).toHaveLength(28);
    expect(counts.slice(8).filter((count) => count > 1)).toEqual([]);
  });
});
