import { UserError } from 'n8n-workflow';
import type { Row } from '../api/parse';
import { withoutKey } from '../api/request';
import { readForm, unlessHidden, type Target } from '../api/service';
import { formLocator } from '../fields/formLocator';
import { formsNamed, readForms } from '../lists/wholeLists';
import { mayBeTitle, requireId } from '../parameters/ids';
import { parseFormDetails, type FormDetails } from '../submissions/questions';
import { comparable, oneLine } from '../text';
import type { Operation } from './operation';

const MAX_LISTED = 5;

/** A title is near if it and the text have at least this part of their letter pairs in common. */
const NEAR = 0.3;

const label = formLocator.displayName;
const about = { what: 'form', parameter: label } as const;

/**
 * Finds the form that the parameter names by its ID, or by its title: an AI agent cannot choose from a list. A text that is no title counts as
 * an ID. If the service does not know this ID, the error names the nearest titles.
 *
 * @throws UserError when the value is wrong, or several forms have the title; what `readForms` throws
 */
export async function findForm(operation: Operation): Promise<Target> {
  const { context, execution, get, read } = operation;
  const { text, isTitlePossible } = read.value(formLocator, (_, value) => ({
    // `requireId` also takes a title. It refuses only what cannot be a segment of a path, such as `..`.
    text: requireId(label, value, 'form'),
    isTitlePossible: mayBeTitle(value),
  }));
  if (!isTitlePossible) return { ...about, id: text };
  // Input items that run together share the list. It is not kept: a form may get this title later.
  execution.allForms ??= unlessHidden(readForms(get, 'desc')).finally(() => {
    execution.allForms = undefined;
  });
  // If the API key may not read the list of forms, the text counts as an ID.
  const forms = (await execution.allForms) ?? [];
  const [form, ...others] = formsNamed(forms, text);
  if (form !== undefined && others.length === 0) return { ...about, id: form.id };
  // Below, both texts go through `withoutKey`: titles may contain the API key, and n8n logs errors.
  if (form === undefined) {
    const near = nearest(forms, text);
    const hint = near.length === 0 ? '' : `The nearest titles are: ${listed(near)}.`;
    return { ...about, id: text, hint: await withoutKey(context, hint) };
  }
  throw new UserError(await withoutKey(context, `'${label}' names several forms: ${listed([form, ...others])}`), {
    description: 'Enter the ID of one of them.',
  });
}

/** Reads a form once for all input items. @returns undefined after a 403 or 404 @throws NodeApiError when the request fails otherwise */
export async function readFormDetails({ execution, get }: Operation, id: string): Promise<FormDetails | undefined> {
  const { forms } = execution;
  let details = forms.get(id);
  if (details === undefined) {
    details = unlessHidden(readForm(get, { ...about, id }).then(parseFormDetails));
    forms.set(id, details);
    // After a failure, Retry On Fail or a later input item reads the form again.
    details.catch(() => forms.delete(id));
  }
  return await details;
}

/** Lists up to five forms as `Contact us (ID), Survey (ID)`, with `…` at the end if there are more. */
function listed(forms: Row[]): string {
  const names = forms.slice(0, MAX_LISTED).map(({ id, data }) => `${oneLine(data.title)} (${id})`);
  return [...names, ...(forms.length > MAX_LISTED ? ['…'] : [])].join(', ');
}

/** Returns at most five forms whose titles share enough pairs of letters with a text, the nearest first. */
function nearest(forms: Row[], text: string): Row[] {
  const wanted = pairsOf(text);
  const score = ({ data }: Row) => {
    const pairs = pairsOf(data.title);
    return (2 * [...pairs].filter((pair) => wanted.has(pair)).length) / Math.max(1, pairs.size + wanted.size);
  };
  return forms
    .map((form) => ({ form, score: score(form) }))
    .filter((each) => each.score >= NEAR)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LISTED)
    .map(({ form }) => form);
}

/** The pairs of letters next to each other: `form` has `fo`, `or` and `rm`. */
function pairsOf(title: unknown): Set<string> {
  const text = comparable(title);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}
