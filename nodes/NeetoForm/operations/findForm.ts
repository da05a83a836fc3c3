import { UserError } from 'n8n-workflow';
import { readCompletely } from '../api/completeList';
import { FORMS, pageQuery } from '../api/endpoints';
import { unlessHidden } from '../api/errors';
import { parsePage, type Row } from '../api/parse';
import { formLocator } from '../fields/formLocator';
import { idIn, isUuid, locatorValue, requireId } from '../parameters/ids';
import { comparable, isRecord, oneLine } from '../json';
import type { Execution } from './execution';
import type { Get, Target } from './operation';

/** Forms that a message lists. */
const MAX_SHOWN = 5;

/**
 * Finds a form by its ID or its title: an agent cannot choose from a list. What is no UUID is looked up among the titles, read once per
 * execution; without a match it is taken for an ID, with the nearest titles as a hint.
 *
 * @throws UserError when there is no value, or several forms have the title
 */
export async function findForm(value: unknown, get: Get, execution: Execution): Promise<Target> {
  const label = formLocator.displayName;
  const id = requireId(label, value, 'form');
  const isChosen = isRecord(value) && value.mode === 'list';
  if (isChosen || isUuid(id) || typeof idIn(locatorValue(value)) === 'number') return { id };
  execution.allForms ??= readForms(get);
  const forms = await execution.allForms;
  if (forms.some((form) => form.id === id)) return { id };
  const [form, ...others] = forms.filter(({ data }) => comparable(data.title) === comparable(id));
  if (form === undefined) return { id, hint: hintAt(nearest(forms, id)) };
  if (others.length === 0) return { id: form.id };
  throw new UserError(`'${label}' names several forms: ${listed([form, ...others])}`, {
    description: 'Enter the ID of one of them.',
  });
}

/** @returns none when the API key may not list forms */
async function readForms(get: Get): Promise<Row[]> {
  const readPage = async (page: number) =>
    await get(FORMS, { order: 'desc', ...pageQuery('forms', page) }, (response) => parsePage(response, 'forms'));
  return (await unlessHidden(readCompletely({ readPage, pick: (row) => row }))) ?? [];
}

function hintAt(forms: Row[]): string | undefined {
  return forms.length === 0 ? undefined : `The nearest titles are: ${listed(forms)}.`;
}

function listed(forms: Row[]): string {
  const names = forms.slice(0, MAX_SHOWN).map(({ id, data }) => `${oneLine(data.title) || 'Untitled form'} (${id})`);
  return [...names, ...(forms.length > MAX_SHOWN ? ['…'] : [])].join(', ');
}

/** The forms whose titles share most pairs of letters with a text. */
function nearest(forms: Row[], text: string): Row[] {
  const wanted = pairsOf(text);
  const score = ({ data }: Row) => {
    const pairs = pairsOf(data.title);
    return [...pairs].filter((pair) => wanted.has(pair)).length / (pairs.size + wanted.size || 1);
  };
  const scored = forms.map((form) => ({ form, score: score(form) })).sort((a, b) => b.score - a.score);
  return scored.slice(0, MAX_SHOWN).map(({ form }) => form);
}

function pairsOf(title: unknown): Set<string> {
  const text = comparable(title);
  return new Set(Array.from({ length: text.length }, (_, index) => text.slice(index, index + 2)));
}
