import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { formPath } from '../api/endpoints';
import type { Selection } from '../api/pages';
import { readQuestions } from '../api/read';
import type { Row } from '../api/types';
import { textOf, toText } from '../json';
import { needsQuestions, present, presentationOf } from '../submissions/present';
import { DATE_HINT, parseDateParameter } from '../dates';
import { createdBetween } from './filters';
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

/** Submissions as `Output` asks for them, with one more request when the form's questions have to be known. */
export async function presentSubmissions(call: Call, rows: Row[]): Promise<IDataObject[]> {
  const { context } = call;
  const formId = toText(context.getNodeParameter('formId', '', { extractValue: true })).trim();
  const presentation = presentationOf((name, fallback) => context.getNodeParameter(name, fallback));
  if (!needsQuestions(rows, presentation)) return present(rows, formId, presentation);
  const { body } = await call.send({ path: formPath(formId) });
  return present(rows, formId, presentation, readQuestions(body));
}

function dateOf({ context }: Call, parameter: string, label: string): number | undefined {
  const value = context.getNodeParameter(parameter, '');
  const ms = parseDateParameter(value, context.getTimezone());
  if (ms !== 'no date') return ms;
  throw new NodeOperationError(context.getNode(), `'${label}' is not a date: ${textOf(value) || typeof value}`, { description: DATE_HINT });
}

function afterOf(call: Call): number | undefined {
  return dateOf(call, 'filters.submittedAfter', 'Submitted After');
}
