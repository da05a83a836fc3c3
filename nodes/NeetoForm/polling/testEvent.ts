import type { INodeExecutionData } from 'n8n-workflow';
import { toNodeError } from '../api/messages';
import { operationError } from '../api/nodeErrors';
import type { Submission } from '../api/parse';
import type { FormDetails } from '../submissions/questions';
import { sampleSubmission } from '../submissions/sample';
import { findForms, type WatchedForm } from './forms';
import { makeItems } from './items';
import type { PollSession } from './session';

/** The newest submission of all watched forms, or a sample. @throws NodeApiError, NodeOperationError or UserError when there is neither */
export async function testEvent(session: PollSession): Promise<INodeExecutionData[]> {
  // With this `listedTo`, no form is new, and archived forms are left out.
  const { unknown } = await findForms(session, { listedTo: Infinity, forms: {} });
  const forms = unknown.map(({ form }) => form);
  const newest = await newestSubmission(session, forms);
  if (newest !== undefined)
    return await itemsOf(session, newest.formId, newest.row, await session.readDetails(newest.formId));
  const [form] = forms;
  if (form === undefined)
    throw operationError(
      session.node,
      'The workspace has no active form',
      'Create a form in NeetoForm, then fetch a test event again.',
    );
  const details = await session.readForm(form.formId);
  const items = await itemsOf(session, form.formId, sampleSubmission(details, session.clock.now()), details);
  return items.map((item) => ({ ...item, json: { is_sample: true, ...item.json } }));
}

async function itemsOf(session: PollSession, formId: string, row: Submission, details: FormDetails | undefined) {
  const made = await makeItems(session, [{ form: { formId }, submissions: [row], details: { of: details } }]);
  return made.flatMap(({ items }) => items);
}

async function newestSubmission(session: PollSession, forms: WatchedForm[]) {
  const read = async ({ formId }: WatchedForm) => {
    const { rows } = await session.readSubmissions(formId, { order: 'desc', page: 1, pageSize: 1 });
    return rows.map((row) => ({ formId, row }));
  };
  const pages = await Promise.allSettled(forms.map(read));
  const found = pages.flatMap((page) => (page.status === 'fulfilled' ? page.value : []));
  const [newest] = found.sort((a, b) => b.row.createdMs - a.row.createdMs);
  const failed = pages.find((page) => page.status === 'rejected');
  if (newest === undefined && failed !== undefined) throw toNodeError(session.node, failed.reason);
  return newest;
}
