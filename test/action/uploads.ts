import { randomBytes } from 'node:crypto';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { type Emulator, type QuestionInput, startEmulator } from '../../emulator/index.ts';
import { KEY, useHarness, type Options } from '../support/harness';
import { FilledForm } from './filledForm';

export type Upload = Record<'name' | 'url', string>;

export const RESUME: QuestionInput = { label: 'Resume', kind: 'file_upload' };

/** A form with files in its answers, and the object store that the addresses of files lead to. */
class Uploads extends FilledForm {
  /** As with the real service on another host: here on another port. It runs only during a test. */
  store!: Emulator;
  private made = 0;

  /** A file as a respondent uploads it: its address is at the service, its bytes are in the object store. */
  readonly upload = (name: string, data: Uint8Array = randomBytes(5_000), type = 'application/pdf'): Upload => {
    const { emulator } = this.harness;
    const file = emulator.workspace.addFile({ name, type, data });
    this.store.workspace.addFile(file);
    const uploaded = { name, url: `${emulator.url}/files/${file.id}/${encodeURIComponent(name)}` };
    const when = { path: new RegExp(file.id), times: Infinity };
    emulator.fail({ when, with: { status: 302, headers: { location: this.storedAt(uploaded) } } });
    return uploaded;
  };

  /** The address of a file in the object store. */
  readonly storedAt = ({ url }: Upload): string =>
    url.replace('/files/', '/object-store/').replace(this.harness.emulator.url, this.store.url);

  /** Adds a submission with these files, or a file of its own. */
  readonly submitFiles = (...files: Upload[]): void =>
    this.submit({ resume: { files: files.length > 0 ? files : [this.upload(`${this.made++}.pdf`)] } });

  /** Reads the submissions with their files, oldest first. */
  readonly read = async (
    options: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
    run: Options = {},
  ): Promise<INodeExecutionData[]> =>
    await this.readForm({ output: 'simplified', options: { downloadFiles: true, ...options }, ...more }, run);

  /** Reads one submission with one file. @returns its item and why there is no file */
  readonly readOne = async (options: Record<string, unknown> = {}, more: Record<string, unknown> = {}) => {
    this.submitFiles(this.upload('cv.pdf'));
    const [item] = await this.read(options, more);
    expect(item?.json).toHaveProperty('answers.Resume');
    return { item, error: missing(item)?.[0]?.['error'] };
  };
}

/** Starts an emulator, and an object store beside it, before every test of the file, and adds a form that asks for a file. */
export function useUploads(): Uploads {
  const uploads = new Uploads(useHarness());
  beforeEach(async () => {
    uploads.store = await startEmulator({ apiKey: KEY });
    uploads.formWith(RESUME);
  });
  afterEach(async () => {
    await uploads.store.close();
    expect(uploads.store.requests.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
  });
  return uploads;
}

/** The keys of an item's files. */
export const keys = (item: INodeExecutionData | undefined) => Object.keys(item?.binary ?? {});

/** What an item says of files that were not downloaded. */
export const missing = (item: INodeExecutionData | undefined) =>
  item?.json['files_not_downloaded'] as IDataObject[] | undefined;
