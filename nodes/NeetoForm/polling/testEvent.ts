import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { inOrder } from '../api/inOrder';
import type { Row } from '../api/parse';
import type { FormDetails } from '../submissions/questions';
import { createItems, type FormSubmissions } from './emit';
import { toPollError, type PollSession } from './session';
import type { TriggerSettings } from './settings';
import { watchedForms } from './watchedForms';

/** Forms whose newest submissions are compared; a workspace may have hundreds. */
const MAX_FORMS = 100;

const SAMPLE_ID = 'sample-submission';

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
  const submissions = [sampleOf(await session.readForm(formId), session.clock.now())];
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

function sampleOf({ questions }: FormDetails, now: number): Row {
  const responses = questions.map(({ slug, label, kind, position }): IDataObject => {
    return { id: `${SAMPLE_ID}-${slug}`, label, position, kind, slug, value: 'Sample answer' };
  });
  const data = { id: SAMPLE_ID, created_at: new Date(now).toISOString(), field_values: [], responses };
  return { id: SAMPLE_ID, createdMs: now, data };
}
