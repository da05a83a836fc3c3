import type { INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { inOrder } from '../api/inOrder';
import type { Row } from '../api/parse';
import { sampleSubmission } from '../submissions/sample';
import { createItems, type FormSubmissions } from './emit';
import { toPollError, type PollSession } from './session';
import type { TriggerSettings } from './settings';
import { watchedForms } from './watchedForms';

/** Forms whose newest submissions are compared; a workspace may have hundreds. */
const MAX_FORMS = 100;

/**
 * What Fetch Test Event shows: the newest submission, of all watched forms together, because that is what one poll usually emits. When
 * there is none, a sample made from the form's questions, marked by `is_sample`. Changes nothing.
 *
 * @throws NodeApiError when no form can be read
 */
export async function testEvent(session: PollSession, settings: TriggerSettings): Promise<INodeExecutionData[]> {
  const { forms, list } = await watchedForms(session, settings, undefined);
  const isEmpty = (formId: string) => list?.forms.get(formId)?.count === 0;
  const ids = [...forms.keys()];
  const candidates =
    settings.triggerOn === 'allActive' ? ids.filter((formId) => !isEmpty(formId)).slice(-MAX_FORMS) : ids;
  const newest = await newestSubmission(session, candidates);
  if (newest !== undefined) return (await createItems(session, settings, [newest])).flat();
  const [formId] = ids;
  if (formId === undefined) {
    throw new NodeOperationError(session.context.getNode(), 'The workspace has no active form', {
      description: 'Create a form in NeetoForm, then fetch a test event again.',
    });
  }
  const submissions = [sampleSubmission(await session.readForm(formId), session.clock.now())];
  const items = await createItems(session, settings, [{ formId, submissions }]);
  return items.flat().map((item) => ({ ...item, json: { ...item.json, is_sample: true } }));
}

async function newestSubmission(session: PollSession, formIds: string[]): Promise<FormSubmissions | undefined> {
  let newest: { formId: string; submission: Row } | undefined;
  let failure: ReturnType<typeof toPollError> | undefined;
  const read = async (index: number) => {
    const formId = formIds[index] ?? '';
    try {
      const { rows } = await session.readSubmissions(formId, { order: 'desc', page: 1 });
      return { formId, submission: rows[0] };
    } catch (error) {
      failure ??= toPollError(session.context, error);
      return { formId, submission: undefined };
    }
  };
  for await (const { formId, submission } of inOrder(formIds.length, read)) {
    if (submission === undefined) continue;
    if (newest === undefined || submission.createdMs > newest.submission.createdMs) newest = { formId, submission };
  }
  if (newest === undefined && failure !== undefined) throw failure;
  return newest && { formId: newest.formId, submissions: [newest.submission] };
}
