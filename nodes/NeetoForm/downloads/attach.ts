import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import type { OutputOptions } from '../submissions/outputOptions';
import type { AnsweredFile, ItemData } from '../submissions/toItems';
import { download } from './download';
import type { DownloadRun } from './get';
import { describeFileFailure, MAX_FILES, MAX_SIZES } from './messages';

export interface Attachments extends DownloadRun {
  output: OutputOptions['output'];
}

/** An item with its files. */
export interface Attached {
  item: INodeExecutionData;
  /** False when a later poll may get a file that is missing now, because the time of this one ended first. */
  isInTime: boolean;
}

/**
 * Downloads the files of submissions and attaches them to the items as binary data. A missing file never loses its submission: the item
 * says in `files_not_downloaded` what failed and why. @throws NodeApiError when the execution is canceled, and only then
 */
export async function attachFiles(items: ItemData[], work: Attachments): Promise<Attached[]> {
  return await Promise.all(items.map(async (data) => await attach(data, work)));
}

/** A respondent may name any number of files, of any size: each address is requested once, and all of them are bounded. */
async function attach({ json, files }: ItemData, work: Attachments): Promise<Attached> {
  if (files.length === 0) return { item: { json }, isInTime: true };
  const binary: Record<string, IBinaryData> = {};
  const missing: Array<Record<'question' | 'name' | 'error', string>> = [];
  let isInTime = true;
  const budget = { bytes: MAX_SIZES * work.maxBytes };
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
  const texts = missing.map(({ question, name, error }) => `${question}, ${name}: ${error}`);
  const files_not_downloaded = work.output === 'row' ? texts.join('\n') : missing;
  return { item: { json: { ...json, files_not_downloaded }, binary }, isInTime };
}

function oncePerAddress(files: AnsweredFile[]): AnsweredFile[] {
  const first = new Map<string, AnsweredFile>();
  for (const file of files) if (!first.has(file.url.trim())) first.set(file.url.trim(), file);
  return [...first.values()];
}
