import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';
import { MAX_IN_FLIGHT, Slots } from '../api/slots';
import type { OutputOptions } from '../parameters/outputOptions';
import { uniqueBy } from '../parameters/values';
import type { ItemData } from '../submissions/toItems';
import { oneLine } from '../text';
import { download } from './download';
import type { DownloadRun } from './get';
import { describeFileFailure, MAX_FILES, MAX_SIZE_FACTOR } from './messages';

interface AttachSettings extends DownloadRun {
  /** In the output Row, `files_not_downloaded` is a text. In other outputs it is a list. */
  output: OutputOptions['output'];
}

export interface Attached {
  source: ItemData;
  item: INodeExecutionData;
  /** False when a file is missing because the poll's time was over. A later poll may get the file. */
  isInTime: boolean;
}

/** Attaches the files of submissions to their items. An item also says which files failed. @throws NodeApiError when the execution is canceled */
export async function attachFiles(items: ItemData[], work: AttachSettings): Promise<Attached[]> {
  return await Promise.all(items.map(async (data) => await attach(data, work)));
}

/**
 * Makes a function that attaches the files of one form like `attachFiles`. It gives each form its share of the six downloads that may run at once,
 * so that slow files hold up only their form.
 *
 * @param forms how many have files
 */
export function shareDownloads(forms: number, work: Omit<AttachSettings, 'slots' | 'servers'>) {
  const all = new Slots();
  return async (items: ItemData[]): Promise<Attached[]> => {
    const share = new Slots(Math.max(1, Math.floor(MAX_IN_FLIGHT / forms)));
    const run: DownloadRun['slots']['run'] = async (task) => await share.run(async () => await all.run(task));
    // Each form has limits of its own for the servers. But all share `stalledHosts`: a server that stalls is given up for all.
    return await attachFiles(items, { ...work, servers: new Map(), slots: { run } });
  };
}

/** A respondent may name any number of files of any size. So their number is limited, and so are their bytes together. */
async function attach(source: ItemData, work: AttachSettings): Promise<Attached> {
  const { json, files } = source;
  if (files.length === 0) return { source, item: { json }, isInTime: true };
  const binary: Record<string, IBinaryData> = {};
  const missing: Array<Record<'question' | 'name' | 'error', string>> = [];
  let isInTime = true;
  const budget = { bytes: MAX_SIZE_FACTOR * work.maxBytes };
  const downloads = uniqueBy(files, ({ url }) => url.trim()).map(async (file, index) => ({
    ...file,
    outcome: index < MAX_FILES ? await download(file, work, budget) : ({ kind: 'too many files' } as const),
  }));
  for (const { key, question, name, outcome } of await Promise.all(downloads)) {
    if (outcome.kind === 'downloaded') {
      binary[key] = outcome.binary;
      continue;
    }
    missing.push({ question, name, error: describeFileFailure(outcome) });
    if (outcome.kind === 'poll ended') isInTime = false;
  }
  if (missing.length === 0) return { source, item: { json, binary }, isInTime };
  const texts = missing.map(({ question, name, error }) => oneLine(`${question}, ${name}: ${error}`));
  const files_not_downloaded = work.output === 'row' ? texts.join('\n') : missing;
  return { source, item: { json: { ...json, files_not_downloaded }, binary }, isInTime };
}
