/** What a trigger says beside its submissions, and how often. */

import type { INodeExecutionData } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { withoutKey } from '../api/request';
import type { WatchedForm } from './forms';
import { formsUnreadable, type PollError } from './messages';
import type { Reading } from './read';
import type { PollSession } from './session';

/** Forms named in one report; a workspace may have hundreds. */
const MAX_NAMED = 20;

/** ms after which the same report is repeated. */
const REPEAT_MS = 60 * 60_000;

export type FormFailure = WatchedForm & { failure: PollError };

/** Whether a form is reported: it failed before a new submission was read, and for another reason than time. */
export function isToReport(form: WatchedForm & Partial<Reading>): form is FormFailure {
  return form.failure !== undefined && !form.rows?.size && form.isCutOff !== true;
}

/**
 * Reports forms that could not be read while others could, each once an hour: to the error output if the node has one, else as a failed
 * execution.
 *
 * @param watched how many forms are watched
 * @returns the items for the error output: n8n puts every item there whose `json` has `error` and nothing else
 */
export async function reportFailures(
  session: PollSession,
  failures: FormFailure[],
  watched: number,
): Promise<INodeExecutionData[]> {
  const named: string[] = [];
  // The report names twenty forms at most. The others are named in the next one.
  for (const form of failures)
    if (named.length < MAX_NAMED && isReportDue(session, `form ${form.formId}`))
      named.push(`${nameOf(form)}: ${form.failure.message}`);
  if (named.length === 0) return [];
  // Titles and the words in failures come from the service. They may contain the API key.
  const text = await withoutKey(session.context, named.join('; '));
  const error = formsUnreadable(session.node, text, failures.length, watched);
  if (session.hasErrorOutput) return [{ json: { error: error.message } }];
  session.context.__emitError(error);
  return [];
}

function nameOf({ formId, title = '' }: WatchedForm): string {
  return title === '' ? formId : `${title} (${formId})`;
}

/** What a failing poll emits: one item an hour for the same failure. @returns undefined when the node has no error output */
export function errorOutput(session: PollSession, error: PollError): INodeExecutionData[] | undefined {
  if (!session.hasErrorOutput) return undefined;
  // The message may differ each time. The status and the cause tell one kind of failure from another.
  const code = error instanceof NodeApiError ? `${error.httpCode ?? ''} ${error.failure?.cause ?? ''}` : error.message;
  return isReportDue(session, `poll ${code}`) ? [{ json: { error: error.message } }] : [];
}

/** Whether something was not reported within the last hour. Then it counts as reported now. */
function isReportDue({ memory: { reported }, clock }: PollSession, subject: string): boolean {
  const now = clock.now();
  // A clock that was set back repeats a report.
  if (Math.abs(now - (reported.get(subject) ?? -Infinity)) < REPEAT_MS) return false;
  reported.set(subject, now);
  return true;
}
