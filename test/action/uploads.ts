/** A form with files in its answers, and the object store that the addresses of files lead to: set up before each test of a file. */

import { randomBytes } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { type Emulator, type QuestionInput, startEmulator } from '../../emulator/index.ts';
import { KEY, type Options } from '../support/harness';
import { formWith, harness, readForm, submit } from './filledForm';

/** As with the real service on another host: here on another port. */
export let store: Emulator;
beforeEach(async () => {
  store = await startEmulator({ apiKey: KEY });
});
afterEach(async () => {
  await store.close();
  expect(store.requests.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
});

export type Upload = Record<'name' | 'url', string>;

/** A file as a respondent uploads it: its address is at the service, its bytes are in the object store. */
export function upload(name: string, data: Uint8Array = randomBytes(5_000), type = 'application/pdf'): Upload {
  const file = harness.emulator.workspace.addFile({ name, type, data });
  store.workspace.addFile(file);
  const uploaded = { name, url: `${harness.emulator.url}/files/${file.id}/${encodeURIComponent(name)}` };
  const when = { path: new RegExp(file.id), times: Infinity };
  harness.emulator.fail({ when, with: { status: 302, headers: { location: storedAt(uploaded) } } });
  return uploaded;
}

/** The address of a file in the object store. */
export const storedAt = ({ url }: Upload) =>
  url.replace('/files/', '/object-store/').replace(harness.emulator.url, store.url);

export const RESUME: QuestionInput = { label: 'Resume', kind: 'file_upload' };

beforeEach(() => formWith(RESUME));

let made = 0;
/** A submission with these files, or a file of its own. */
export const submitFiles = (...files: Upload[]) =>
  submit({ resume: { files: files.length > 0 ? files : [upload(`${made++}.pdf`)] } });

/** Reads the submissions, oldest first. */
export async function read(
  options: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
  run: Options = {},
): Promise<INodeExecutionData[]> {
  return await readForm({ output: 'simplified', options: { downloadFiles: true, ...options }, ...more }, run);
}

/** The keys of an item's files. */
export const keys = (item: INodeExecutionData | undefined) => Object.keys(item?.binary ?? {});

/** What an item says of files that were not downloaded. */
export const missing = (item: INodeExecutionData | undefined) =>
  item?.json['files_not_downloaded'] as IDataObject[] | undefined;

/** Reads one submission with one file. @returns its item and why there is no file */
export async function readOne(options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  submitFiles(upload('cv.pdf'));
  const [item] = await read(options, more);
  expect(item?.json).toHaveProperty('answers.Resume');
  return { item, error: missing(item)?.[0]?.['error'] };
}
