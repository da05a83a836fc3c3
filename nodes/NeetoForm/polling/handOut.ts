import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { ConcurrencyLimiter } from '../api/concurrencyLimiter';
import { attachFiles, type Attached } from '../downloads/attach';
import type { AnsweredFile } from '../submissions/toItems';
import type { PollCall } from './ask';
import type { Settings } from './settings';

/** What one form has to hand out, oldest first. */
export interface Batch {
  items: IDataObject[];
  /** Of each item; empty when files are not downloaded. */
  files: AnsweredFile[][];
  /** Leaves the items from this place on to the next poll. */
  leave: (from: number) => void;
}

/**
 * The items of a poll, with their files as far as the poll's time goes. A submission whose files are not there by then is left to the
 * next poll, and those after it too. Only the very first is handed out in any case, or a slow file would stop everything for good.
 */
export async function itemsOf(
  call: PollCall,
  { outputOptions: { output }, downloads }: Settings,
  batches: Batch[],
): Promise<INodeExecutionData[]> {
  if (downloads === undefined) return batches.flatMap(({ items }) => items.map((json) => ({ json })));
  const { context: sender, workspace, clock, filesUntil: endAt } = call;
  const work = { sender, workspace, clock, endAt, ...downloads, output, limiter: new ConcurrencyLimiter() };
  const attached = await Promise.all(batches.map(async ({ items, files }) => await attachFiles(items, files, work)));
  const first = attached.findIndex((ofForm) => ofForm.length > 0);
  return batches.flatMap(({ leave }, form) => {
    const inTime = untilLate(attached[form] ?? [], form === first);
    leave(inTime.length);
    return inTime.map(({ item }) => item);
  });
}

function untilLate(attached: Attached[], keepsFirst: boolean): Attached[] {
  const late = attached.findIndex(({ isInTime }, index) => !isInTime && !(keepsFirst && index === 0));
  return late < 0 ? attached : attached.slice(0, late);
}
