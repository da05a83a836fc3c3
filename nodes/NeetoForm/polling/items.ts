import type { INodeExecutionData } from 'n8n-workflow';
import type { Submission } from '../api/parse';
import { shareDownloads } from '../downloads/attach';
import { createExtractor } from '../submissions/extract';
import type { FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import type { PollSession } from './session';

/** The submissions of a form that are to be emitted. `details` has the form's title and questions, if they are needed and can be read. */
interface Submitted {
  form: { formId: string };
  submissions: Submission[];
  details?: { of: FormDetails | undefined };
}

/**
 * Adds its items to each form, up to the first submission whose file is late.
 *
 * @throws UserError in a test event, when Questions to Include names what is no question of the form
 */
export async function makeItems<Form extends Submitted>(
  { context: sender, settings, workspace, clock, filesDeadline: giveUpAt }: PollSession,
  forms: Form[],
): Promise<Array<Form & { items: INodeExecutionData[] }>> {
  const { outputOptions, downloads } = settings;
  const made = forms.map((each) => {
    const extract = createExtractor(outputOptions);
    const extracted = each.submissions.map(({ data }) => extract(data));
    return { each, data: toItems(extracted, each.details?.of, each.form.formId, outputOptions) };
  });
  if (downloads === undefined)
    return made.map(({ each, data }) => ({ ...each, items: data.map(({ json }) => ({ json })) }));
  const { output } = outputOptions;
  const work = { sender, workspace, clock, giveUpAt, output, stalledHosts: new Set<string>(), ...downloads };
  const withFiles = made.filter(({ data }) => data.some(({ files }) => files.length > 0));
  const attachToForm = shareDownloads(withFiles.length, work);
  // Of the form that has its turn, the first submission is emitted even without its file: a slow file must not hold up its form for ever.
  const [first] = made.flatMap(({ data }) => data);
  const attach = async ({ each, data }: (typeof made)[number]) => {
    const attached = await attachToForm(data);
    const late = attached.findIndex(({ isInTime, source }) => !isInTime && source !== first);
    const inTime = late < 0 ? attached : attached.slice(0, late);
    return { ...each, items: inTime.map(({ item }) => item) };
  };
  return await Promise.all(made.map(attach));
}
