import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { operationError } from '../api/nodeErrors';
import { readForm } from '../api/service';
import { formsNamed } from '../lists/wholeLists';
import { idIn, idProblem, locatorValue, mayBeTitle, requireId } from '../parameters/ids';
import { parseFormDetails } from '../submissions/questions';
import { oneLine } from '../text';
import { editorGet, nameDistinctly, readEditorList, withDetails } from './editorList';
import { formList } from './forms';

/** Lists the questions of the chosen form. @throws NodeOperationError without a form; NodeApiError or UserError when it cannot be read */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const id = await findFormId(this);
  const form = await readForm(await editorGet(this), { what: 'form', id, parameter: 'Form' });
  const { questions } = parseFormDetails(form);
  const numbered = [...questions]
    .sort((a, b) => a.position - b.position)
    .map(({ slug, label }, index) => ({ slug, label: oneLine(label) || slug, number: index + 1 }));
  const named = nameDistinctly(numbered, ({ label, number, slug }) => [
    label,
    withDetails(label, [`question ${number}`]),
    withDetails(label, [slug]),
  ]);
  return named.map(({ row, name }) => ({ name, value: row.slug }));
}

async function findFormId(context: ILoadOptionsFunctions): Promise<string> {
  // n8n gives the result of an expression, or null when the expression needs data of earlier nodes.
  const given = context.getCurrentNodeParameter('formId');
  // Without a form, this says how to get questions. The error of `requireId` would not.
  if (idProblem(idIn(locatorValue(given))) !== undefined) {
    throw operationError(
      context.getNode(),
      "Choose a form in 'Form' to see its questions, or enter their labels with an expression",
      "If an expression or a model chooses the form, its questions are not known before it runs: enter labels, such as {{ ['Full name'] }}.",
    );
  }
  const text = requireId('Form', given, 'form');
  if (!mayBeTitle(given)) return text;
  const [form, ...others] = formsNamed(await readEditorList(context, formList), text);
  // A text that is not the title of exactly one form is taken for an ID.
  return form !== undefined && others.length === 0 ? form.id : text;
}
