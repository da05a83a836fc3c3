import { UserError } from 'n8n-workflow';
import { FORM, FORMS } from '../api/endpoints';
import { unlessHidden } from '../api/errors';
import { parseForm, type Row } from '../api/parse';
import { formLocator } from '../fields/formLocator';
import { comparable, isRecord, oneLine } from '../json';
import { idIn, isUuid, locatorValue, requireId } from '../parameters/ids';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import type { Operation, Target } from './operation';
import { readRows } from './rows';

/** Forms that a message lists. */
const MAX_SHOWN = 5;

/** How much of two titles is the same when one is near the other: 1 for all of it. */
const NEAR = 0.3;

const ALL_FORMS = { key: 'forms', order: 'desc', keep: (row: Row) => row } as const;

const label = formLocator.displayName;
const about = { what: 'form', parameter: label } as const;

/**
 * Finds the form that the parameter names by its ID or its title: an agent cannot choose from a list. What is no UUID is looked up among
 * the titles, read once per execution; without a match it is taken for an ID, with the nearest titles as a hint.
 *
 * @throws UserError when there is no value, or several forms have the title
 */
export async function findForm(operation: Operation): Promise<Target> {
  const { context, execution, read } = operation;
  const { id, isTitle } = read.required(formLocator, readLocator);
  if (!isTitle) return { ...about, id };
  execution.allForms ??= unlessHidden(readRows(operation, ALL_FORMS, { method: 'GET', path: FORMS }));
  // None when the API key may not list forms.
  const forms = (await execution.allForms) ?? [];
  if (forms.some((form) => form.id === id)) return { ...about, id };
  const { withoutKey } = await import('../api/request');
  const [form, ...others] = forms.filter(({ data }) => comparable(data.title) === comparable(id));
  if (form === undefined) {
    const near = nearest(forms, id);
    const hint = near.length === 0 ? '' : `The nearest titles are: ${listed(near)}.`;
    return { ...about, id, hint: await withoutKey(context, hint) };
  }
  if (others.length === 0) return { ...about, id: form.id };
  throw new UserError(await withoutKey(context, `'${label}' names several forms: ${listed([form, ...others])}`), {
    description: 'Enter the ID of one of them.',
  });
}

/** A form's title and questions, once for all input items of an execution; undefined when the service does not show the form. */
export async function readFormDetails(
  { execution: { forms }, send }: Operation,
  id: string,
): Promise<FormDetails | undefined> {
  const sent = { method: 'GET', path: FORM, target: { id } } as const;
  const details = forms.get(id) ?? unlessHidden(send(sent, (response) => parseFormDetails(parseForm(response))));
  forms.set(id, details);
  return await details;
}

function readLocator(_field: typeof formLocator, value: unknown): { id: string; isTitle: boolean } {
  const id = requireId(label, value, 'form');
  const isChosen = isRecord(value) && value.mode === 'list';
  return { id, isTitle: !isChosen && !isUuid(id) && typeof idIn(locatorValue(value)) !== 'number' };
}

function listed(forms: Row[]): string {
  const names = forms.slice(0, MAX_SHOWN).map(({ id, data }) => `${oneLine(data.title) || 'Untitled form'} (${id})`);
  return [...names, ...(forms.length > MAX_SHOWN ? ['…'] : [])].join(', ');
}

/** The forms whose titles share enough pairs of letters with a text, the nearest first. */
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

function pairsOf(title: unknown): Set<string> {
  const text = comparable(title);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}
