import type { INodeExecutionData } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { attachToForms } from '../downloads/attach';
import { createExtractor } from '../submissions/extract';
import type { FormDetails } from '../submissions/questions';
import { toItems } from '../submissions/toItems';
import type { PollSession } from './session';

/** Makes the items of each form, up to the first submission whose file is late. @throws UserError when a test event is to include what is no question of the form */
export async function makeItems(
  { context: sender, settings, workspace, clock, filesDeadline: giveUpAt }: PollSession,
  forms: Array<{ formId: string; submissions: Row[]; details?: FormDetails | null }>,
): Promise<INodeExecutionData[][]> {
  const { outputOptions, downloads } = settings;
  const made = forms.map(({ formId, submissions, details }) => {
    const extract = createExtractor(outputOptions);
    const extracted = submissions.map(({ data }) => extract(data));
    return toItems(extracted, details ?? undefined, formId, outputOptions);
  });
  if (downloads === undefined) return made.map((items) => items.map(({ json }) => ({ json })));
  const { output } = outputOptions;
  const work = { sender, workspace, clock, giveUpAt, output, stalledHosts: new Set<string>(), ...downloads };
  const attached = await attachToForms(made, work);
  // The first submission of all is emitted even without its file: a slow file must not hold up its form for ever.
  const [first] = attached.flat();
  return attached.map((items) => {
    const late = items.findIndex((each) => !each.isInTime && each !== first);
    return (late < 0 ? items : items.slice(0, late)).map(({ item }) => item);
  });
}
