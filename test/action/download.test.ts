import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { BinaryDataService } from 'n8n-core';
import type { FaultEffect } from '../../emulator/index.ts';
import { systemClock } from '../../nodes/NeetoForm/api/clock';
import { anyText, range } from '../support/harness';
import { useFastClock } from './fastClock';
import { keys, missing, useUploads } from './uploads';

const uploads = useUploads();
const { harness, read, readOne, storedAt, submitFiles, upload } = uploads;

// What file servers do, on a clock that runs faster.

const FASTER = 20;
useFastClock(FASTER);

const always = { times: Infinity };
const slowly = (drip: number, seconds: number): FaultEffect => ({ drip, everyMs: (seconds * 1_000) / FASTER });
/** With a body that never ends. */
const redirect = (location: string, status = 302): FaultEffect => ({
  status,
  headers: { location },
  body: 'Moved',
  ...slowly(1, 60),
});

const connections = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

/** Mutation testing has a connection of its own. */
const OTHERS = connections();

/** Reads a submission with a file of at most eight bytes. @returns why it is missing */
async function readWith(effect: FaultEffect | undefined, times: number, body = 'Dear all'): Promise<unknown> {
  if (effect) uploads.store.fail({ when: { times }, with: effect });
  submitFiles(upload('cv.pdf', Buffer.from(body)));
  const [item] = await read({ maxFileSizeMb: 8 / 1024 ** 2 });
  expect(keys(item)).toHaveLength(missing(item) ? 0 : 1);
  // A connection whose response is not read to its end must be closed.
  for (let tries = 0; tries < 50 && connections() > OTHERS; tries++) await wait(10);
  expect(connections()).toBeLessThanOrEqual(OTHERS);
  return missing(item)?.[0]?.['error'];
}

const ARRIVED = /^undefined$/;
const TOO_LARGE = /^The file is larger than 0\.00000762939453125 MB\. Raise 'Max File Size \(MB\)' to download it\.$/;
const LOST = /^The connection to the file server was lost\. .* \([A-Z_]+\)$/;
const SAYS_LENGTH = { ...slowly(1, 60), status: 200, body: 'Dear all.', headers: { 'content-length': '9' } };
const NOT_GZIP = { status: 200, body: 'Dear all', headers: { 'content-encoding': 'gzip' } };

it.each<[what: string, effect: FaultEffect, times: number, outcome: RegExp, requests: number]>([
  ['a redirect', redirect('?again', 300), 1, ARRIVED, 2],
  ['a permanent redirect', redirect('?again', 308), 1, ARRIVED, 2],
  ['five redirects, the first by the service', redirect('?again'), 4, ARRIVED, 5],
  ['a redirect that leads back to itself', redirect('?again'), 5, /redirects without end/, 5],
  ['a redirect to another host', redirect('https://a.svc/'), 1, /redirects to a\.svc, which is not in/, 1],
  ['a redirect to no address', redirect('https://'), 1, /no file \(status 302\)/, 1],
  ['nothing', { status: 204 }, 1, /no file \(status 204\)/, 1],
  ['a part of the file', { status: 206, body: 'Dear' }, 1, /no file \(status 206\)/, 1],
  ['400 with an address', redirect('?again', 400), 1, /no file \(status 400\)/, 1],
  ['401', { status: 401 }, 1, /denied access \(status 401\)/, 1],
  ['403', { status: 403 }, 1, /denied access \(status 403\)/, 1],
  ['404', { status: 404 }, 1, /no longer exists \(status 404\)/, 1],
  ['410', { status: 410 }, 1, /no longer exists \(status 410\)/, 1],
  ['500 only', { status: 500 }, Infinity, /could not answer \(status 500\)/, 5],
  [
    '503 until in an hour',
    { status: 503, headers: { 'retry-after': '3600' } },
    1,
    /could not answer \(status 503\)/,
    1,
  ],
  ['the file, with an address', { status: 200, body: 'Dear all', headers: { location: '?again' } }, 1, ARRIVED, 1],
  ['503, then the file', { status: 503, body: 'No', ...slowly(1, 60) }, 1, ARRIVED, 2],
  ['a broken body, then the file', { truncate: true }, 1, ARRIVED, 2],
  ['broken bodies only', { truncate: true }, Infinity, LOST, 5],
  ['no response', { reset: true }, Infinity, LOST, 5],
  ['a body that is not in its encoding', NOT_GZIP, Infinity, LOST, 5],
])('the server sends %s', async (_, effect, times, outcome, requests) => {
  expect(String(await readWith(effect, times))).toMatch(outcome);
  expect(uploads.store.requests).toHaveLength(requests);
});

it.each([
  ['127.0.0.1:1', /^The file server refused the connection\. .* \(ECONNREFUSED\)$/],
  // A name that is too long is looked up nowhere.
  [`${'a'.repeat(64)}.example`, /^There is no server at this address\. Try again later\. \(ENOTFOUND\)$/],
])('a file on a server that is not there is named with the reason: %s', async (host, error) => {
  submitFiles({ name: 'cv.pdf', url: `${host.startsWith('1') ? 'http' : 'https'}://${host}/cv.pdf` });
  expect(missing((await read({ allowedFileHosts: host })).at(0))).toMatchObject([{ error: anyText(error) }]);
});

it.each([
  ['ftp://app.neetoform.com/cv.pdf', 'its address is not https'],
  [' https://a.svc/cv.pdf', "a.svc is not in 'Allowed File Hosts'. Add it there if you trust it."],
])(
  'a file at an address that may not be opened is named with the reason, and not requested: %j',
  async (url, reason) => {
    submitFiles({ name: 'cv.pdf', url });
    const error = `The file was not downloaded: ${reason}`;
    expect(missing((await read()).at(0))).toMatchObject([
      { name: 'cv.pdf', error: expect.stringContaining(error) as string },
    ]);
  },
);

it('of several files that are missing, a row has a line each', async () => {
  submitFiles(...['a.pdf', 'b.pdf'].map((name) => ({ name, url: `https://a.svc/${name}` })));
  const [item] = await read({}, { output: 'row' });
  expect(item?.json.files_not_downloaded).toMatch(/^Resume, a\.pdf: The file .*\nResume, b\.pdf: The file .*$/);
});

it.each([
  [new Error('ENOSPC: no space left on device, write'), 'ENOSPC: no space left on device, write'],
  [undefined, 'no reason was given'],
])(
  'a file that n8n cannot store is named with the reason, and its neighbor is attached: %s',
  async (thrown, reason) => {
    const disk = jest.spyOn(BinaryDataService.prototype, 'store').mockRejectedValueOnce(thrown);
    submitFiles(upload('a.pdf'), upload('b.pdf'));
    const [item] = await read();
    disk.mockRestore();
    expect(keys(item)).toHaveLength(1);
    expect(missing(item)).toMatchObject([{ error: `n8n could not store the file: ${reason}` }]);
  },
);

it.each<[what: string, body: string, effect: FaultEffect | undefined, outcome: RegExp]>([
  ['a file of that size', 'Dear all', undefined, ARRIVED],
  ['a file of that size without its length', 'Dear all', slowly(4, 0), ARRIVED],
  ['no larger file', 'Dear all.', undefined, TOO_LARGE],
  ['no larger file that says its length, of which nothing is read', '', SAYS_LENGTH, TOO_LARGE],
  ['no larger file without its length, and does not wait for its end', 'Hi all of you', slowly(9, 60), TOO_LARGE],
])('the size limit allows %s', async (_, body, effect, outcome) => {
  expect(String(await readWith(effect, 1, body))).toMatch(outcome);
});

it.each<[name: string, charset: BufferEncoding]>([
  ['plain name.pdf', 'utf8'],
  ['"Übung.pdf"', 'utf8'],
  ['"Straße.pdf"', 'latin1'],
])(
  'a file without a name in its answer has the one that its server sends as filename=%s in %s',
  async (name, charset) => {
    // Node.js sends each character of a header as a byte, unless the body is a text.
    const sent = Buffer.from(`attachment; filename=${name}`, charset).toString('latin1');
    const effect = { ...slowly(8, 0), status: 200, body: 'Dear all', headers: { 'content-disposition': sent } };
    uploads.store.fail({ with: effect });
    submitFiles({ name: '', url: upload('from-the-address').url });
    const [item] = await read();
    expect(item?.binary).toMatchObject({ Resume_1: { fileName: name.replaceAll('"', '') } });
  },
);

it('ten files of the largest size are attached, and an eleventh is not', async () => {
  submitFiles(...range(11).map((index) => upload(`${index}`, Buffer.from('Dear all'))));
  const [item] = await read({ maxFileSizeMb: 8 / 1024 ** 2 });
  expect(keys(item)).toHaveLength(10);
  expect(missing(item)).toMatchObject([{ error: anyText(/ together\. That is 10 times 'Max File Size/) }]);
});

it('what was received of a file that is not kept leaves room for the others of its submission', async () => {
  uploads.store.fail({ when: { path: /large/ }, with: slowly(150_000, 0) });
  const large = upload('large', Buffer.alloc(150_000));
  submitFiles(large, ...range(10).map((index) => upload(`${index}`, Buffer.alloc(100_000))));
  const [item] = await read({ maxFileSizeMb: 0.1 });
  expect(missing(item)).toMatchObject([{ name: 'large' }]);
  expect(keys(item)).toHaveLength(10);
});

it('a server that limits the rate of requests delays its own files only, and holds no slot meanwhile', async () => {
  uploads.store.fail({ when: { times: 6 }, with: { status: 429, headers: { 'retry-after': '20' } } });
  const files = range(7).map((index) => ({ name: `${index}`, url: storedAt(upload(`${index}`)) }));
  const other = { name: 'other', url: storedAt(upload('other')).replace('127.0.0.1', 'localhost') };
  submitFiles(...files, other);
  const hosts = ['127.0.0.1', 'localhost'].map((name) => new URL(uploads.store.url).host.replace('127.0.0.1', name));
  const [item] = await read({ allowedFileHosts: hosts.join() });
  expect(keys(item)).toHaveLength(8);
  expect(uploads.store.requests.findIndex(({ headers }) => headers['host'] === hosts[1])).toBeLessThan(8);
});

it.each<[where: string, effect: FaultEffect, latencySeconds: number, outcome: RegExp]>([
  ['before the headers', { hang: true }, 0, / sent nothing for 10 seconds/],
  ['in the body', slowly(4, 12), 0, / sent nothing for 10 seconds/],
  ['in a body that began late', slowly(4, 12), 7, / sent nothing for 10 seconds/],
  ['never, for seven seconds are less', slowly(3, 7), 7, ARRIVED],
])(
  'a server that sends nothing for ten seconds fails a file without a retry: %s',
  async (_, effect, latency, outcome) => {
    uploads.store.quirks.latencyMs = (latency * 1_000) / FASTER;
    expect(String(await readWith(effect, 1))).toMatch(outcome);
    expect(uploads.store.requests).toHaveLength(1);
    // A server that stalled is asked again in another execution.
    expect(missing((await read()).at(0))).toBeUndefined();
  },
);

it('headers show, too, that a server has not stalled', async () => {
  const sevenSeconds = async () => await wait(7_000 / FASTER);
  const server = createServer((_, response) => {
    void sevenSeconds().then(async () => {
      response.flushHeaders();
      await sevenSeconds();
      response.end('Dear all');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  submitFiles({ name: 'cv.pdf', url: `http://${host}/cv.pdf` });
  const [item] = await read({ allowedFileHosts: host });
  server.close();
  expect(missing(item)).toBeUndefined();
});

it('a server that sends nothing is asked for no further file of the same run, also for other input items', async () => {
  uploads.store.fail({ when: always, with: { hang: true } });
  submitFiles(...range(9).map((index) => upload(`${index}`)));
  const items = await read({}, {}, { items: [{}, {}] });
  expect(items.map((item) => missing(item)?.length)).toEqual([9, 9]);
  expect(uploads.store.requests).toHaveLength(6);
});

it("a file must arrive within the timeout of the node's Request Options", async () => {
  uploads.store.fail({ when: always, with: slowly(1, 1) });
  const { error } = await readOne({}, { requestOptions: { timeout: 4_000 } });
  expect(error).toMatch(/did not arrive within 4 seconds/);
});

it.each<[status: number, seconds: number, timeout: number, what: string, outcome: unknown]>([
  [503, 20, 10, 'is given up', anyText(/could not answer/)],
  [429, 20, 10, 'is given up', anyText(/limits the rate of requests/)],
  [503, 61, 300, 'is attached', undefined],
])(
  'a file with a %i, Retry-After of %i seconds, and a timeout of %i seconds in Request Options %s',
  async (status, seconds, timeout, _, outcome) => {
    uploads.store.fail({ with: { status, headers: { 'retry-after': `${seconds}` } } });
    const { error } = await readOne({}, { requestOptions: { timeout: timeout * 1_000 } });
    expect(error).toEqual(outcome);
  },
);

it.each<[during: string, effect: FaultEffect]>([
  ['a transfer', slowly(1, 1)],
  ['the wait after 503', { status: 503, headers: { 'retry-after': '55' } }],
  ['the wait after 429', { status: 429, headers: { 'retry-after': '55' } }],
])('a download ends when the user cancels the execution during %s, and that is the error', async (_, effect) => {
  uploads.store.fail({ when: always, with: effect });
  const controller = new AbortController();
  let canceledAt = NaN;
  const cancel = () => {
    canceledAt = systemClock.now();
    controller.abort();
  };
  uploads.store.onRequest(() => void setTimeout(cancel, 100));
  submitFiles();
  await expect(read({}, {}, { signal: controller.signal })).rejects.toThrow('The execution was canceled');
  expect(systemClock.now() - canceledAt).toBeLessThan(40_000);
  expect(harness.emulator.inFlight).toBe(0);
});
