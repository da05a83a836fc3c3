import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { systemClock } from '../api/clock';
import { formPath } from '../api/endpoints';
import type { Selection } from '../api/pages';
import { parseQuestions } from '../api/parse';
import { attachFiles } from '../downloads/attach';
import { maxBytesOf } from '../downloads/settings';
import { textOf, toText } from '../json';
import { filesOf } from '../submissions/files';
import { keeper, needsQuestions } from '../submissions/keep';
import { present } from '../submissions/present';
import { presentationOf } from '../submissions/presentation';
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

/** Submissions as `Output` asks for them, with one more request when the form's questions have to be known. */
export async function presentSubmissions(call: Call, collect: Collect): Promise<INodeExecutionData[]> {
  const { context } = call;
  const formId = toText(context.getNodeParameter('formId', '', { extractValue: true })).trim();
  const presentation = presentationOf((name, fallback) => context.getNodeParameter(name, fallback));
  const kept = await collect(keeper(presentation));
  const questions = needsQuestions(kept, presentation)
    ? parseQuestions((await call.send({ path: formPath(formId) })).body)
    : [];
  const items = present(kept, formId, presentation, questions);
  if (!presentation.downloadFiles) return items.map((json) => ({ json }));
  const attached = await attachFiles(items, filesOf(kept, presentation, questions), {
    ...call.outside,
    sender: context,
    maxBytes: maxFileBytes(call),
    clock: systemClock,
  });
  return attached.map(({ item }) => item);
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
