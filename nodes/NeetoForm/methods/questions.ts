import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { FORM, withId } from '../api/endpoints';
import { parseForm } from '../api/parse';
import { idIn, idProblem, isUuid, locatorValue } from '../parameters/ids';
import { comparable, oneLine, toText } from '../json';
import { parseFormDetails } from '../submissions/questions';
import { editorRequest, nameDistinctly, readEditorList, withDetails } from './editorList';
import { formList } from './forms';

/**
 * Lists the questions of the form in `formId`, in the form's order.
 *
 * @throws NodeOperationError when no form is chosen; NodeApiError when the form cannot be read; UserError when the credential is wrong
 */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const id = await findFormId(this);
  const subject = { what: 'form', id, parameter: 'Form' } as const;
  const get = await editorRequest(this, subject);
  const { questions } = await get(withId(FORM, id), {}, (response) => parseFormDetails(parseForm(response)));
  const numbered = [...questions]
    .sort((a, b) => a.position - b.position)
    .map(({ slug, label }, index) => ({ slug, label: oneLine(label) || slug, number: index + 1 }));
  const named = nameDistinctly(numbered, [
    ({ label }) => label,
    ({ label, number }) => withDetails(label, [`question ${number}`]),
    ({ label, slug }) => withDetails(label, [slug]),
  ]);
  return named.map(({ row, name }) => ({ name, value: row.slug }));
}

/** The ID of the chosen form. A text that is no UUID may be the title of a form, as in the operations. */
async function findFormId(context: ILoadOptionsFunctions): Promise<string> {
  const id = formIdOf(context);
  if (isUuid(id)) return id.toLowerCase();
  const forms = await readEditorList(context, formList);
  const [form, ...others] = forms.filter(({ data }) => comparable(data.title) === comparable(id));
  // Any other text is taken for an ID. If it is none, the service says so.
  return form !== undefined && others.length === 0 ? form.id : id;
}

/** The text in `formId`. If that is an expression, n8n gives its result, or null when it needs data of earlier nodes. */
function formIdOf(context: ILoadOptionsFunctions): string {
  // `idIn` takes the ID out of a web address, and returns every other value unchanged. So `value` may still be anything.
  const value = idIn(locatorValue(context.getCurrentNodeParameter('formId')));
  const mayBeIdOrTitle = idProblem(value) === undefined;
  if (mayBeIdOrTitle) return toText(value).trim();
  throw new NodeOperationError(
    context.getNode(),
    "Choose a form in 'Form' to see its questions, or enter their labels with an expression",
    {
      description:
        "If an expression or a model chooses the form, its questions are not known before it runs: enter labels, such as {{ ['Full name'] }}.",
    },
  );
}
