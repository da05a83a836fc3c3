/** How a trigger reports that a poll or a form failed. Texts about a request are in `../api/messages`. */

import { NodeApiError, type INodeExecutionData } from 'n8n-workflow';
import { causeOf, operationError, type NodeError } from '../api/nodeErrors';
import { withoutKey } from '../api/request';
import type { FormFailure } from './forms';
import type { PolledTrigger } from './session';

/** How many forms one report names. The next report names the others. */
const MAX_NAMED = 20;
const REPEAT_MS = 60 * 60_000;

/**
 * Reports forms that could not be read while others could, each once an hour: to the error output if the node has one, else as a failed execution.
 *
 * @returns the items for the error output: n8n puts every item there whose `json` has `error` and nothing else
 */
export async function reportFailures(
  trigger: PolledTrigger,
  failures: FormFailure[],
  watchedCount: number,
): Promise<INodeExecutionData[]> {
  const named: string[] = [];
  for (const { formId, title, failure } of failures)
    if (named.length < MAX_NAMED && isReportDue(trigger, `form ${formId}`))
      named.push(`${title ? `${title} (${formId})` : formId}: ${failure.message}`);
  if (named.length === 0) return [];
  // Titles and the words in failures come from the service. They may contain the API key.
  const text = await withoutKey(trigger.context, named.join('; '));
  const error = operationError(
    trigger.node,
    `${failures.length} of ${watchedCount} forms could not be read: ${text}`,
    'No submission of these is lost: they follow when the forms can be read again, and the other forms are not held back. If you chose the forms, remove one that no longer exists.',
  );
  if (trigger.hasErrorOutput) return [{ json: { error: error.message } }];
  trigger.context.__emitError(error);
  return [];
}

/** What a failing poll puts to the error output: one item an hour for the same failure. */
export function errorOutput(trigger: PolledTrigger, error: NodeError): INodeExecutionData[] {
  // For the same failure, the service's words may differ each time. Its status and its `Cause` (see `../api/messages`) do not.
  // A failure of a parameter has neither. What differs is the value, which follows a colon: "'Start From' is not a date: …".
  const code =
    error instanceof NodeApiError ? `${error.httpCode} ${String(causeOf(error))}` : error.message.split(': ', 1)[0];
  return isReportDue(trigger, `poll ${code}`) ? [{ json: { error: error.message } }] : [];
}

/** Whether something was not reported within the last hour. Then it counts as reported now. */
function isReportDue({ memory: { reported }, clock }: PolledTrigger, subject: string): boolean {
  const now = clock.now();
  // Without `abs`, a clock that was set back would suppress reports.
  if (Math.abs(now - (reported.get(subject) ?? -Infinity)) < REPEAT_MS) return false;
  reported.set(subject, now);
  return true;
}
