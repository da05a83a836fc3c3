import type { INodeExecutionData } from 'n8n-workflow';
import { unlessHidden } from '../api/errors';
import type { Row } from '../api/parse';
import { needsForm } from '../submissions/outputOptions';
import { sampleSubmission } from '../submissions/sample';
import { watchedForms } from './forms';
import { makeItems } from './items';
import { noActiveForm, toPollError } from './messages';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';

/**
 * What Fetch Test Event shows: the newest submission of all watched forms, because that is what one poll usually emits. When there is
 * none, a sample made from the questions of the first form, marked by `is_sample`. Changes nothing.
 *
 * @throws NodeApiError or NodeOperationError when no form can be read, or there is none
 */
export async function testEvent(session: PollSession, settings: TriggerSettings): Promise<INodeExecutionData[]> {
  // No form is new here, so that none is watched because it may have been archived since.
  const { forms } = await watchedForms(session, settings, { listedTo: Infinity, forms: new Map() });
  const formIds = [...forms.keys()];
  const newest = await newestSubmission(session, formIds);
  if (newest !== undefined) {
    const { formId, row } = newest;
    const details = needsForm(settings.outputOptions) ? await unlessHidden(session.readForm(formId)) : undefined;
    return (await makeItems(session, settings, [{ formId, submissions: [row], details }])).flat();
  }
  const [formId] = formIds;
  if (formId === undefined) throw noActiveForm(session.node);
  const details = await session.readForm(formId);
  const submissions = [sampleSubmission(details, session.clock.now())];
  const items = await makeItems(session, settings, [{ formId, submissions, details }]);
  return items.flat().map((item) => ({ ...item, json: { is_sample: true, ...item.json } }));
}

/** @throws NodeApiError when a form cannot be read, and no other shows a submission */
async function newestSubmission(
  session: PollSession,
  formIds: string[],
): Promise<{ formId: string; row: Row } | undefined> {
  const read = async (formId: string) => {
    const { rows } = await session.readSubmissions(formId, { order: 'desc', page: 1, pageSize: 1 });
    return rows.slice(0, 1).map((row) => ({ formId, row }));
  };
  const pages = await Promise.allSettled(formIds.map(read));
  const found = pages.flatMap((page) => (page.status === 'fulfilled' ? page.value : []));
  const [newest] = found.sort((a, b) => b.row.createdMs - a.row.createdMs);
  const failed = pages.find((page) => page.status === 'rejected');
  if (newest === undefined && failed !== undefined) throw toPollError(session.node, failed.reason);
  return newest;
}
