import { UserError } from 'n8n-workflow';
import { FORM, FORMS } from '../api/endpoints';
import { unlessHidden } from '../api/errors';
import { formsNamed, parseForm, type Row } from '../api/parse';
import { formLocator } from '../fields/formLocator';
import { comparable, oneLine } from '../json';
import { mayBeTitle, requireId } from '../parameters/ids';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import type { Operation, Target } from './operation';
import { readRows } from './rows';

/** How many forms a message lists. */
const MAX_SHOWN = 5;

/** The share of letter pairs, from 0 to 1, that a title must have in common with a text to count as near it. */
const NEAR = 0.3;

const ALL_FORMS = { key: 'forms', order: 'desc', resultOf: (row: Row) => row } as const;

const label = formLocator.displayName;
const about = { what: 'form', parameter: label } as const;

/**
 * Finds the form that the parameter names by its ID or its title. Titles are accepted because an AI agent cannot choose from a list. An
 * entered text that is not a UUID is compared with the titles of all forms, read once for the input items that run together. If no title is the same,
 * the text is taken for an ID. If the service does not find this ID, the error names the nearest titles.
 *
 * @throws UserError when the value is empty or cannot be an ID, several forms have the title, or the list of forms cannot be read
 * completely; NodeApiError when a request for the list fails, unless with 403 or 404: then the text counts as an ID
 */
export async function findForm(operation: Operation): Promise<Target> {
  const { context, execution, read } = operation;
  const { id, mayBeTitle } = read.value(formLocator, readLocator);
  if (!mayBeTitle) return { ...about, id };
  execution.allForms ??= unlessHidden(readRows(operation, ALL_FORMS, { method: 'GET', path: FORMS })).finally(() => {
    execution.allForms = undefined;
  });
  // Without the list of forms, which the API key may not be allowed to read, the value is taken for an ID.
  const forms = (await execution.allForms) ?? [];
  const [form, ...others] = formsNamed(forms, id);
  if (form !== undefined && others.length === 0) return { ...about, id: form.id };
  // A title is a text of the service, and could repeat the API key.
  const { withoutKey } = await import('../api/request');
  if (form === undefined) {
    const near = nearest(forms, id);
    const hint = near.length === 0 ? '' : `The nearest titles are: ${listed(near)}.`;
    return { ...about, id, hint: await withoutKey(context, hint) };
  }
  throw new UserError(await withoutKey(context, `'${label}' names several forms: ${listed([form, ...others])}`), {
    description: 'Enter the ID of one of them.',
  });
}

/**
 * Reads a form's title and questions, once for all input items of an execution unless it fails.
 *
 * @returns undefined when the service answers 403 or 404
 * @throws NodeApiError when there is no usable response for another reason
 */
export async function readFormDetails(
  { execution: { forms }, send }: Operation,
  id: string,
): Promise<FormDetails | undefined> {
  const read = async () => {
    const sent = { method: 'GET', path: FORM, target: { id } } as const;
    return await unlessHidden(send(sent, (response) => parseFormDetails(parseForm(response))));
  };
  const details = forms.get(id) ?? read();
  forms.set(id, details);
  void details.catch(() => forms.delete(id));
  return await details;
}

function readLocator(_field: typeof formLocator, value: unknown): { id: string; mayBeTitle: boolean } {
  return { id: requireId(label, value, 'form'), mayBeTitle: mayBeTitle(value) };
}

/** The titles and IDs of up to five forms, as a message lists them, and `…` if there are more. */
function listed(forms: Row[]): string {
  const names = forms.slice(0, MAX_SHOWN).map(({ id, data }) => `${oneLine(data.title) || 'Untitled form'} (${id})`);
  return [...names, ...(forms.length > MAX_SHOWN ? ['…'] : [])].join(', ');
}

/** At most five forms whose titles are near a text, the nearest first. A title is near when it shares enough pairs of letters. */
function nearest(forms: Row[], text: string): Row[] {
  const wanted = pairsOf(text);
  const score = ({ data }: Row) => {
    const pairs = pairsOf(data.title);
    return (2 * [...pairs].filter((pair) => wanted.has(pair)).length) / (pairs.size + wanted.size || 1);
  };
  const scored = forms.map((form) => ({ form, score: score(form) })).filter((each) => each.score >= NEAR);
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SHOWN)
    .map(({ form }) => form);
}

/** The pairs of letters next to each other: `form` has `fo`, `or` and `rm`. */
function pairsOf(title: unknown): Set<string> {
  const text = comparable(title);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}
