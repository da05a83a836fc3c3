import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { oneLine } from '../json';
import type { OutputOptions } from '../submissions/outputOptions';
import type { AnsweredFile, ItemData } from '../submissions/toItems';
import { download } from './download';
import type { DownloadRun } from './get';
import { describeFileFailure, MAX_FILES, MAX_SIZE_FACTOR } from './messages';

/** What attaching the files of an execution or a poll needs. */
export interface AttachSettings extends DownloadRun {
  /** In the output Row, `files_not_downloaded` is a text; in other outputs it is a list. */
  output: OutputOptions['output'];
}

export interface Attached {
  item: INodeExecutionData;
  /** False when a file is missing because the time of the poll was over. A later poll may get the file. */
  isInTime: boolean;
}

/**
 * Downloads the files of submissions and attaches them to the items as binary data. A missing file never loses its submission: the item
 * says in `files_not_downloaded` what failed and why.
 *
 * @returns the items in the order of the submissions
 * @throws NodeApiError when the execution is canceled
 */
export async function attachFiles(items: ItemData[], work: AttachSettings): Promise<Attached[]> {
  return await Promise.all(items.map(async (data) => await attach(data, work)));
}

/**
 * Attaches the files of one submission. A respondent may name any number of files, of any size. So each address is requested once, the
 * number of files is limited, and so are their bytes together.
 */
async function attach({ json, files }: ItemData, work: AttachSettings): Promise<Attached> {
  if (files.length === 0) return { item: { json }, isInTime: true };
  const binary: Record<string, IBinaryData> = {};
  const missing: Array<Record<'question' | 'name' | 'error', string>> = [];
  let isInTime = true;
  const budget = { bytes: MAX_SIZE_FACTOR * work.maxBytes };
  const downloads = oncePerAddress(files).map(async (file, index) => ({
    ...file,
    outcome: index < MAX_FILES ? await download(file, work, budget) : ({ kind: 'too many files' } as const),
  }));
  for (const { key, question, name, outcome } of await Promise.all(downloads)) {
    if ('binary' in outcome) {
      binary[key] = outcome.binary;
      continue;
    }
    missing.push({ question, name, error: describeFileFailure(outcome) });
    if (outcome.kind === 'poll ended') isInTime = false;
  }
  if (missing.length === 0) return { item: { json, binary }, isInTime };
  const texts = missing.map(({ question, name, error }) => oneLine(`${question}, ${name}: ${error}`));
  const files_not_downloaded = work.output === 'row' ? texts.join('\n') : missing;
  return { item: { json: { ...json, files_not_downloaded }, binary }, isInTime };
}

/** Of several files with the same address, only the first. */
function oncePerAddress(files: AnsweredFile[]): AnsweredFile[] {
  const first = new Map<string, AnsweredFile>();
  for (const file of files) if (!first.has(file.url.trim())) first.set(file.url.trim(), file);
  return [...first.values()];
}
