import type { INodeExecutionData } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { RequestLimiter } from '../api/requestLimiter';
import { sampleSubmission } from '../submissions/sample';
import { watchedForms } from './forms';
import { detailsReader } from './details';
import { makeItems } from './items';
import { noActiveForm, toPollError } from './messages';
import { readNewest } from './newest';
import type { PollSession } from './session';
import type { TriggerSettings } from './settings';

/**
 * What Fetch Test Event shows: the newest submission of all watched forms, because that is what one poll usually emits. When there is
 * none, a sample made from the questions of the first form, marked by `is_sample`. Changes nothing.
 *
 * @throws NodeApiError or NodeOperationError when no form can be read, or there is none
 */
export async function testEvent(session: PollSession, settings: TriggerSettings): Promise<INodeExecutionData[]> {
  const formIds = settings.triggerOn === 'allActive' ? await activeFormIds(session, settings) : settings.formIds;
  const newest = await newestSubmission(session, formIds);
  if (newest !== undefined) {
    const form = await detailsReader(session, settings)(newest.formId);
    return (await makeItems(session, settings, [{ formId: newest.formId, submissions: [newest.row], form }])).flat();
  }
  const [formId] = formIds;
  if (formId === undefined) throw noActiveForm(session);
  const form = await session.readForm(formId);
  const items = await makeItems(session, settings, [
    { formId, submissions: [sampleSubmission(form, session.clock.now())], form },
  ]);
  return items.flat().map((item) => ({ ...item, json: { is_sample: true, ...item.json } }));
}

async function activeFormIds(session: PollSession, settings: TriggerSettings): Promise<string[]> {
  // No form is new here, so that none is watched because it may have been archived since.
  const { forms } = await watchedForms(session, settings, { listedTo: Infinity, forms: new Map() });
  return [...forms.keys()];
}

/** Forms that the time is not enough for are left out. @throws NodeApiError when a form cannot be read, and no other shows a submission */
async function newestSubmission(
  session: PollSession,
  formIds: string[],
): Promise<{ formId: string; row: Row } | undefined> {
  const limiter = new RequestLimiter();
  const read = async (formId: string) => {
    if (session.isTimeUp) return [];
    const { rows } = await readNewest(session, formId, 2);
    return rows.slice(0, 1).map((row) => ({ formId, row }));
  };
  const reads = await Promise.allSettled(
    formIds.map(async (formId) => await limiter.run(async () => await read(formId))),
  );
  const found = reads.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const [newest] = found.toSorted((a, b) => b.row.createdMs - a.row.createdMs);
  const failed = reads.find((each) => each.status === 'rejected');
  if (newest === undefined && failed !== undefined) throw toPollError(session.node, failed.reason);
  return newest;
}
