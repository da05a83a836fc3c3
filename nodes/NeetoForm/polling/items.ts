/** Makes the items of a poll. */

import type { INodeExecutionData } from 'n8n-workflow';
import { RequestLimiter } from '../api/requestLimiter';
import type { Row } from '../api/parse';
import { attachFiles, type Attached } from '../downloads/attach';
import { createExtractor } from '../submissions/extract';
import type { FormDetails } from '../submissions/questions';
import { toItems, type ItemData } from '../submissions/toItems';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';

/** Submissions of one form, oldest first. */
interface FormSubmissions {
  formId: string;
  submissions: Row[];
  /** The form's title and questions; undefined when it does not tell them. */
  form?: FormDetails;
}

/**
 * The items of each form. With files, a submission whose file is under way when the time of the poll ends waits for the next poll, and
 * so do those of its form after it. Only the first of all is emitted in any case, so that each form is served when its turn comes.
 *
 * @returns the items of each form; those left out are the last of their form
 * @throws UserError when the questions to include are not those of the form
 */
export async function makeItems(
  session: PollSession,
  { outputOptions, downloads }: TriggerSettings,
  forms: FormSubmissions[],
): Promise<INodeExecutionData[][]> {
  const made = forms.map(({ formId, submissions, form }) => {
    const extract = createExtractor(outputOptions);
    return toItems(
      submissions.map(({ data }) => extract(data)),
      form,
      formId,
      outputOptions,
    );
  });
  if (downloads === undefined) return made.map((items) => items.map(({ json }) => ({ json })));
  const { context: sender, workspace, clock, filesDeadline: endAt } = session;
  const run = { limiter: new RequestLimiter(), stalledHosts: new Set<string>() };
  const work = { sender, workspace, clock, endAt, ...run, output: outputOptions.output, ...downloads };
  // The files of all forms take turns, so that those of one form do not hold back the others.
  const attached = await attachFiles(takingTurns(made), work);
  const ofForm = forms.map((_, index) => attached.filter(({ form }) => form === index));
  const first = ofForm.findIndex((each) => each.length > 0);
  return ofForm.map((each, index) => untilLate(each, index === first).map(({ item }) => item));
}

/** The first item of each form, then the second of each, and so on, each with the place of its form. */
function takingTurns(made: ItemData[][]): Array<ItemData & { form: number }> {
  const rounds = Math.max(0, ...made.map((items) => items.length));
  return Array.from({ length: rounds }).flatMap((_, round) =>
    made.flatMap((items, form) => {
      const item = items[round];
      return item === undefined ? [] : [{ ...item, form }];
    }),
  );
}

/** The items before the first whose files are late. */
function untilLate(items: Attached[], keepsFirst: boolean): Attached[] {
  const late = items.findIndex(({ isInTime }, index) => !isInTime && !(keepsFirst && index === 0));
  return late < 0 ? items : items.slice(0, late);
}
