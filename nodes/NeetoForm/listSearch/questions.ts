import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { formPath } from '../api/endpoints';
import { validateId } from '../api/id';
import { parseQuestions } from '../api/parse';
import { toText } from '../json';
import { distinctNames, oneLine, withDetails } from './choices';
import { readForEditor } from './readList';

/** A question, and its number on the form, from 1. */
interface Numbered {
  slug: string;
  label: string;
  number: number;
}

/**
 * The questions of the form that the node's `formId` names, in the form's order: slugs, shown by their labels.
 *
 * @throws NodeOperationError when no form is chosen, or when an expression gives none before the workflow runs
 * @throws NodeApiError when the service gives no usable answer
 */
export async function getQuestions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const id = formIdOf(this);
  const subject = { what: 'form', id, parameter: 'Form' } as const;
  const questions = await readForEditor(this, subject, { path: formPath(id) }, ({ body }) => parseQuestions(body));
  const numbered = [...questions]
    .sort((a, b) => a.position - b.position)
    .map(({ slug, label }, index) => ({ slug, label: oneLine(label) || slug, number: index + 1 }))
    .filter(({ slug }) => slug !== '');
  const names = distinctNames<Numbered>(numbered, [
    ({ label }) => label,
    ({ label, number }) => withDetails(label, [`question ${number}`]),
    ({ label, slug }) => withDetails(label, [slug]),
  ]);
  return numbered.map(({ slug }, index) => ({ name: names[index] ?? slug, value: slug }));
}

function formIdOf(context: ILoadOptionsFunctions): string {
  const value: unknown = context.getCurrentNodeParameter('formId', { extractValue: true });
  const problem = validateId(value);
  const id = toText(value).trim();
  if (problem === undefined && !id.startsWith('=')) return id;
  throw new NodeOperationError(
    context.getNode(),
    id.startsWith('=') ? "The questions of 'Form' are known when the workflow runs" : `'Form' ${problem}`,
    {
      description: 'Choose a form from the list to see its questions, or enter their slugs with an expression.',
    },
  );
}
