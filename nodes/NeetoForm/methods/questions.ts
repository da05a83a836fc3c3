import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { FORM, withId } from '../api/endpoints';
import { operationError } from '../api/errors';
import { formsNamed, parseForm } from '../api/parse';
import { idIn, idProblem, locatorValue, mayBeTitle, requireId } from '../parameters/ids';
import { oneLine } from '../json';
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

/** The ID of the chosen form. Any text but a UUID may be the title of a form, as in the operations. @throws NodeOperationError when there is none */
async function findFormId(context: ILoadOptionsFunctions): Promise<string> {
  // If the parameter is an expression, n8n gives its result, or null when it needs data of earlier nodes.
  const given = context.getCurrentNodeParameter('formId');
  if (idProblem(idIn(locatorValue(given))) !== undefined) {
    throw operationError(
      context.getNode(),
      "Choose a form in 'Form' to see its questions, or enter their labels with an expression",
      "If an expression or a model chooses the form, its questions are not known before it runs: enter labels, such as {{ ['Full name'] }}.",
    );
  }
  const id = requireId('Form', given, 'form');
  if (!mayBeTitle(given)) return id;
  const [form, ...others] = formsNamed(await readEditorList(context, formList), id);
  // A text that names no form, or several, is taken for an ID. If it is none, the service says so.
  return form !== undefined && others.length === 0 ? form.id : id;
}
