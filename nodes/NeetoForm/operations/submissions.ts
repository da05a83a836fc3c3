import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { formPath } from '../api/endpoints';
import type { Selection } from '../api/pages';
import { attachFiles } from '../downloads/attach';
import { maxBytesOf } from '../downloads/settings';
import { textOf, toText } from '../json';
import { createExtractor } from '../submissions/extract';
import { needsForm, parseOutputOptions } from '../submissions/outputOptions';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import { DATE_HINT, parseDateParameter } from '../dates';
import { createdBetween } from './filters';
import type { Collect } from './many';
import type { Call, Prepare } from './operation';

/** Asks the service for submissions from a time on. */
export const submittedAfter: Prepare = (call) => {
  const after = afterOf(call);
  if (after !== undefined) call.query.submitted_after = new Date(after).toISOString();
};

/** Both bounds are held on our side too: the upper has no known parameter, and the lower might be ignored. */
export function withinDates(call: Call): Selection | undefined {
  const before = dateOf(call, 'filters.submittedBefore', 'Submitted Before');
  const order = toText(call.context.getNodeParameter('options.order', 'asc'));
  return createdBetween(afterOf(call), before, order);
}

/** Refuses a limit that no file would keep. */
export const maxFileSize: Prepare = (call) => {
  maxFileBytes(call);
};

/** Submissions as `Output` says; the form is read alongside their first page. */
export async function presentSubmissions(call: Call, collect: Collect): Promise<INodeExecutionData[]> {
  const { context } = call;
  const formId = toText(context.getNodeParameter('formId', '', { extractValue: true })).trim();
  const options = parseOutputOptions((name, fallback) => context.getNodeParameter(name, fallback), false);
  const [extracted, form] = await Promise.all([
    collect(createExtractor(options)),
    needsForm(options) ? readForm(call, formId) : undefined,
  ]);
  const { items, files } = toItems(extracted, form, formId, options);
  if (!options.downloadFiles) return items.map((json) => ({ json }));
  const attached = await attachFiles(items, files, {
    ...call.outside,
    sender: context,
    maxBytes: maxFileBytes(call),
    clock: systemClock,
  });
  return attached.map(({ item }) => item);
}

/** @returns undefined when the form cannot be read: its submissions are returned all the same */
async function readForm(call: Call, formId: string): Promise<FormDetails | undefined> {
  try {
    return parseFormDetails((await call.send({ path: formPath(formId) })).body);
  } catch {
    return undefined;
  }
}

function maxFileBytes({ context }: Call): number {
  return maxBytesOf(context.getNode(), (name, fallback) => context.getNodeParameter(name, fallback));
}

function dateOf({ context }: Call, parameter: string, label: string): number | undefined {
  const value = context.getNodeParameter(parameter, '');
  const ms = parseDateParameter(value, context.getTimezone());
  if (ms !== 'no date') return ms;
  throw new NodeOperationError(context.getNode(), `'${label}' is not a date: ${textOf(value) || typeof value}`, {
    description: DATE_HINT,
  });
}

function afterOf(call: Call): number | undefined {
  return dateOf(call, 'filters.submittedAfter', 'Submitted After');
}
