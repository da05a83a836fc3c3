import type { INodeExecutionData } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { MAX_IN_FLIGHT, RequestLimiter } from '../api/requestLimiter';
import { attachFiles, type Attached, type AttachSettings } from '../downloads/attach';
import { createExtractor } from '../submissions/extract';
import type { FormDetails } from '../submissions/questions';
import { toItems, type ItemData } from '../submissions/toItems';
import type { PollSession } from './session';

/** Makes the items of each form, up to the first submission whose file is late. @throws UserError when the questions to include are not the form's */
export async function makeItems(
  { context: sender, settings, workspace, clock, filesDeadline: giveUpAt }: PollSession,
  forms: Array<{ formId: string; submissions: Row[]; details?: FormDetails }>,
): Promise<INodeExecutionData[][]> {
  const { outputOptions, downloads } = settings;
  const made = forms.map(({ formId, submissions, details }) => {
    const extract = createExtractor(outputOptions);
    const extracted = submissions.map(({ data }) => extract(data));
    return toItems(extracted, details, formId, outputOptions);
  });
  if (downloads === undefined) return made.map((items) => items.map(({ json }) => ({ json })));
  const { output } = outputOptions;
  const work = { sender, workspace, clock, giveUpAt, output, stalledHosts: new Set<string>(), ...downloads };
  const attached = await attachFairly(made, work);
  // The first submission of all is emitted even without its file: a slow file must not hold up its form for ever.
  const first = made.findIndex((items) => items.length > 0);
  return attached.map((items, index) => untilLate(items, index === first).map(({ item }) => item));
}

/** Downloads the files, six at a time. Each form has its share of the six, so that slow files do not hold up the other forms. */
async function attachFairly(made: ItemData[][], work: Omit<AttachSettings, 'limiter' | 'servers'>) {
  const all = new RequestLimiter();
  const withFiles = made.filter((items) => items.some(({ files }) => files.length > 0)).length;
  const attach = async (items: ItemData[]) => {
    const slots = new RequestLimiter(undefined, Math.max(1, Math.floor(MAX_IN_FLIGHT / withFiles)));
    const run: AttachSettings['limiter']['run'] = async (task) => await slots.run(async () => await all.run(task));
    // Each form has its own turns at a server, but a server that stalls is given up for all.
    return await attachFiles(items, { ...work, servers: new Map(), limiter: { run } });
  };
  return await Promise.all(made.map(attach));
}

function untilLate(items: Attached[], keepsFirst: boolean): Attached[] {
  const late = items.findIndex(({ isInTime }, index) => !isInTime && !(keepsFirst && index === 0));
  return late < 0 ? items : items.slice(0, late);
}
