import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { inOrder } from '../api/inOrder';
import type { Row } from '../api/parse';
import { sampleSubmission } from '../submissions/sample';
import { watchedForms } from './forms';
import { detailsReader, makeItems } from './items';
import { requireNoPause, toPollError, type PollSession } from './session';
import type { TriggerSettings } from './settings';

/**
 * What Fetch Test Event shows: the newest submission of all watched forms, because that is what one poll usually emits. When there is
 * none, a sample made from the questions of the first form, marked by `is_sample`. Changes nothing.
 *
 * @throws NodeApiError when no form can be read
 */
export async function testEvent(session: PollSession, settings: TriggerSettings): Promise<INodeExecutionData[]> {
  requireNoPause(session);
  const { forms } = await watchedForms(session, settings, undefined);
  const formIds = [...forms.keys()];
  const newest = await newestSubmission(session, formIds);
  if (newest !== undefined) {
    const form = await detailsReader(session, settings)(newest.formId);
    return (await makeItems(session, settings, [{ formId: newest.formId, submissions: [newest.row], form }])).flat();
  }
  const [formId] = formIds;
  if (formId === undefined) {
    throw new NodeOperationError(session.node, 'The workspace has no active form', {
      description: 'Create a form in NeetoForm, then fetch a test event again.',
    });
  }
  const form = await session.readForm(formId);
  const items = await makeItems(session, settings, [
    { formId, submissions: [sampleSubmission(form, session.clock.now())], form },
  ]);
  return items.flat().map((item) => ({ ...item, json: { is_sample: true, ...item.json } }));
}

async function newestSubmission(
  session: PollSession,
  formIds: string[],
): Promise<{ formId: string; row: Row } | undefined> {
  let newest: { formId: string; row: Row } | undefined;
  let failure: ReturnType<typeof toPollError> | undefined;
  const read = async (index: number) => {
    const formId = formIds[index] ?? '';
    if (session.isTimeUp) return { formId, row: undefined };
    try {
      const { rows } = await session.readSubmissions(formId, { order: 'desc', page: 1, pageSize: 1 });
      return { formId, row: rows[0] };
    } catch (error) {
      failure ??= toPollError(session.node, error);
      return { formId, row: undefined };
    }
  };
  for await (const { formId, row } of inOrder(formIds.length, read)) {
    if (row !== undefined && (newest === undefined || row.createdMs > newest.row.createdMs)) newest = { formId, row };
  }
  if (newest === undefined && failure !== undefined) throw failure;
  return newest;
}
