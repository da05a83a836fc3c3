/** Makes the items of a poll. */

import type { INodeExecutionData } from 'n8n-workflow';
import { MAX_IN_FLIGHT, RequestLimiter } from '../api/requestLimiter';
import type { Row } from '../api/parse';
import { attachFiles, type Attached } from '../downloads/attach';
import type { DownloadRun } from '../downloads/download';
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
  const { output } = outputOptions;
  const work = { sender, workspace, clock, endAt, stalledHosts: new Set<string>(), output, ...downloads };
  const limiterOf = fairLimiters(made.filter(hasFiles).length);
  const attached = await Promise.all(
    made.map(async (items) => await attachFiles(items, { ...work, limiter: limiterOf() })),
  );
  const first = made.findIndex((items) => items.length > 0);
  return attached.map((items, index) => untilLate(items, index === first).map(({ item }) => item));
}

function hasFiles(items: ItemData[]): boolean {
  return items.some(({ files }) => files.length > 0);
}

/** Makes a limiter for each form: its downloads have slots of their own, so that slow ones of one form never hold back the others. */
function fairLimiters(forms: number): () => DownloadRun['limiter'] {
  const all = new RequestLimiter();
  const share = Math.max(1, Math.floor(MAX_IN_FLIGHT / forms));
  return () => {
    const own = new RequestLimiter(undefined, share);
    return {
      run: async (task) => await own.run(async () => await all.run(task)),
      goOneAtATime: () => {
        all.goOneAtATime();
      },
    };
  };
}

/** The items before the first whose files are late. */
function untilLate(items: Attached[], keepsFirst: boolean): Attached[] {
  const late = items.findIndex(({ isInTime }, index) => !isInTime && !(keepsFirst && index === 0));
  return late < 0 ? items : items.slice(0, late);
}
