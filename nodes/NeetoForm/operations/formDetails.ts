import { formPath } from '../api/endpoints';
import { isTransient, unlessHidden } from '../api/errors';
import { parseForm } from '../api/parse';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import type { Operation } from './operation';

/**
 * Requests a form's title and questions beside its submissions, once for all input items of an execution: first without a retry, so that
 * nothing is requested in vain for an input item whose list fails.
 *
 * @returns what waits for them, after further tries; undefined when the service does not show the form
 */
export function startFormDetails(operation: Operation, formId: string): () => Promise<FormDetails | undefined> {
  const first = requestDetails(operation, formId, 0);
  // Its failure is seen by the one who waits for it.
  void first.catch(() => undefined);
  return async () => {
    const isWorthTrying = await first.then(() => false, isTransient);
    return await (isWorthTrying ? requestDetails(operation, formId) : first);
  };
}

async function requestDetails(
  { execution: { forms }, get }: Operation,
  formId: string,
  retryLimitMs?: number,
): Promise<FormDetails | undefined> {
  const key = `${formId} ${retryLimitMs ?? ''}`;
  const parse = (response: Parameters<typeof parseForm>[0]) => parseFormDetails(parseForm(response));
  const details = forms.get(key) ?? unlessHidden(get(formPath(formId), {}, parse, retryLimitMs));
  forms.set(key, details);
  return await details;
}
