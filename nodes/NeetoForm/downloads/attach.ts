import type { IBinaryData, IDataObject, INodeExecutionData } from 'n8n-workflow';
import { raise } from '../api/errors';
import { cancelSignal } from '../api/request';
import type { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import { uniqueName } from '../submissions/columns';
import type { AnsweredFile } from '../submissions/toItems';
import { download, type Downloaded, type DownloadPolicy } from './download';
import { describeFileFailure, type Limits } from './messages';

/** A file may take this long, all tries together, unless the user set a timeout. */
export const FILE_TIMEOUT_MS = 60_000;

const NOT_DOWNLOADED = 'files_not_downloaded';

export interface Attachments extends Omit<DownloadPolicy, 'onFault'> {
  /** Holds files back until there is room for them. */
  limiter: ConcurrencyLimiter;
  /** ms that a file may take. */
  timeoutMs?: number;
  /** ms on the clock: nothing is under way after it. */
  endAt?: number;
}

/** An item with its files. */
export interface Attached {
  item: INodeExecutionData;
  /** Whether none of its files is missing for want of time before `endAt`. */
  isInTime: boolean;
}

type Outcome = { binary: IBinaryData } | { error: string; isInTime: boolean };

/**
 * Downloads the files of submissions, oldest submission first, and attaches them to the items as binary data. A file that cannot be
 * had never loses the submission: what is wrong with it stands in the item, under `files_not_downloaded`.
 *
 * @param items data of each submission
 * @param files of each submission
 * @throws NodeApiError when the execution is cancelled, and only then
 */
export async function attachFiles(
  items: IDataObject[],
  files: AnsweredFile[][],
  work: Attachments,
): Promise<Attached[]> {
  return await Promise.all(items.map(async (json, index) => await attach(json, files[index] ?? [], work)));
}

async function attach(json: IDataObject, files: AnsweredFile[], work: Attachments): Promise<Attached> {
  if (files.length === 0) return { item: { json }, isInTime: true };
  const outcomes = await Promise.all(
    files.map(async (file) => ({ file, ...(await work.limiter.run(async () => await fetchInTime(file, work))) })),
  );
  const binary = Object.fromEntries(
    outcomes.flatMap((outcome) => ('binary' in outcome ? [[outcome.file.key, outcome.binary]] : [])),
  );
  const missing = outcomes.flatMap((outcome) =>
    'error' in outcome ? [{ question: outcome.file.question, name: outcome.file.name, error: outcome.error }] : [],
  );
  const said =
    missing.length === 0 ? json : { ...json, [uniqueName(NOT_DOWNLOADED, new Set(Object.keys(json)))]: missing };
  return {
    item: { json: said, binary },
    isInTime: outcomes.every((outcome) => 'binary' in outcome || outcome.isInTime),
  };
}

async function fetchInTime(file: AnsweredFile, work: Attachments): Promise<Outcome> {
  const { sender } = work;
  const limits = limitsOf(work);
  const cancel = cancelSignal(sender);
  const time = AbortSignal.timeout(limits.limitMs);
  const signal = cancel === undefined ? time : AbortSignal.any([cancel, time]);
  const outcome: Downloaded =
    limits.limitMs > 0
      ? await download(file, { ...work, onFault: (fault) => work.limiter.noteFailure(fault) }, limits.limitMs, signal)
      : { kind: 'cancelled' };
  if ('binary' in outcome) return outcome;
  if (cancel?.aborted) raise(sender.getNode(), { kind: 'cancelled' }, { what: 'submissions' });
  return {
    error: describeFileFailure(outcome, limits),
    isInTime: outcome.kind !== 'cancelled' || limits.limitedBy === 'file',
  };
}

function limitsOf({ maxBytes, timeoutMs = FILE_TIMEOUT_MS, endAt = Infinity, clock }: Attachments): Limits {
  const leftMs = Math.max(0, endAt - clock.now());
  return {
    maxBytes,
    limitMs: Math.floor(Math.min(timeoutMs, leftMs)),
    limitedBy: leftMs < timeoutMs ? 'poll' : 'file',
  };
}
