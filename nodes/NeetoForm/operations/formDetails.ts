import { FORM } from '../api/endpoints';
import { unlessHidden } from '../api/errors';
import { parseForm } from '../api/parse';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import type { Operation } from './operation';

/**
 * Requests a form's title and questions, once for all input items of an execution.
 *
 * @returns undefined when the service does not show the form
 */
export async function readFormDetails(
  { execution: { forms }, send }: Operation,
  id: string,
): Promise<FormDetails | undefined> {
  const sent = { method: 'GET', path: FORM, target: { id } } as const;
  const details = forms.get(id) ?? unlessHidden(send(sent, (response) => parseFormDetails(parseForm(response))));
  forms.set(id, details);
  return await details;
}
