import type { INodeExecutionData } from 'n8n-workflow';
import { RequestLimiter } from '../api/requestLimiter';
import { attachFiles, type Attached } from '../downloads/attach';
import { createExtractor } from '../submissions/extract';
import { needsForm } from '../submissions/outputOptions';
import type { FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import type { Row } from '../api/parse';
import type { FormResult } from './pollForm';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';

/** Submissions of one form, oldest first. */
export interface FormSubmissions {
  formId: string;
  submissions: Row[];
}

/**
 * The items of a poll. With files, a submission whose files do not arrive in the time of the poll waits for the next one, and so do
 * those after it. Only the very first is emitted in any case.
 *
 * @returns the items of each form; those left out are the last of their form
 */
export async function createItems(
  session: PollSession,
  settings: TriggerSettings,
  forms: FormSubmissions[],
): Promise<INodeExecutionData[][]> {
  const limiter = new RequestLimiter();
  const attached = await Promise.all(forms.map(async (form) => await itemsOf(session, settings, form, limiter)));
  const first = attached.findIndex((items) => items.length > 0);
  return attached.map((items, index) => untilLate(items, index === first).map(({ item }) => item));
}

/** Creates the items of a poll, and leaves the submissions whose files are late in their batches. */
export async function emitBatches(
  session: PollSession,
  settings: TriggerSettings,
  results: FormResult[],
): Promise<INodeExecutionData[]> {
  const forms = results.map(({ formId, batch }) => ({ formId, submissions: batch.submissions() }));
  const items = await createItems(session, settings, forms);
  items.forEach((ofForm, index) => {
    const result = results[index];
    if (result === undefined || ofForm.length === result.batch.size) return;
    result.batch.keep(ofForm.length);
    result.isComplete = false;
  });
  return items.flat();
}

async function itemsOf(
  session: PollSession,
  { outputOptions, downloads }: TriggerSettings,
  { formId, submissions }: FormSubmissions,
  limiter: RequestLimiter,
): Promise<Attached[]> {
  if (submissions.length === 0) return [];
  const form = needsForm(outputOptions) ? await readForm(session, formId) : undefined;
  const { items, files } = toItems(
    submissions.map(({ data }) => data).map(createExtractor(outputOptions)),
    form,
    formId,
    outputOptions,
  );
  if (downloads === undefined) return items.map((json) => ({ item: { json }, isInTime: true }));
  const { context: sender, workspace, clock, filesDeadline: endAt } = session;
  const { output } = outputOptions;
  const stalledHosts = stalledHostsOf(limiter);
  return await attachFiles(items, files, {
    sender,
    workspace,
    clock,
    endAt,
    limiter,
    stalledHosts,
    output,
    ...downloads,
  });
}

/** @returns undefined when the form cannot be read: its submissions are emitted all the same */
async function readForm(session: PollSession, formId: string): Promise<FormDetails | undefined> {
  try {
    return await session.readForm(formId);
  } catch {
    return undefined;
  }
}

function untilLate(items: Attached[], keepsFirst: boolean): Attached[] {
  const late = items.findIndex(({ isInTime }, index) => !isInTime && !(keepsFirst && index === 0));
  return late < 0 ? items : items.slice(0, late);
}

/** The servers that stalled, by the limiter of the poll. */
const stalledHosts = new WeakMap<RequestLimiter, Set<string>>();

function stalledHostsOf(limiter: RequestLimiter): Set<string> {
  const hosts = stalledHosts.get(limiter) ?? new Set();
  stalledHosts.set(limiter, hosts);
  return hosts;
}
