/** Converts the values of parameters, since an expression may give anything. A value whose meaning is not clear is an error. */

import type { INodeProperties } from 'n8n-workflow';
import { jsonStringify, UserError } from 'n8n-workflow';
import type { ChoiceField } from '../fields/shapes';
import { parseJson } from '../json';
import { parseDate } from './dates';

type Field = Pick<INodeProperties, 'displayName' | 'typeOptions'>;

const DOMAIN_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?';
const EMAIL = new RegExp(`^[^\\s@.,;:<>()"]+(?:\\.[^\\s@.,;:<>()"]+)*@(?:${DOMAIN_LABEL}\\.)+${DOMAIN_LABEL}$`, 'u');

/** Requires a number or a text that is not blank, and returns it as it was entered. @throws UserError for anything else */
export function requireText({ displayName }: Field, value: unknown): string {
  const text = convertText(displayName, value);
  if (text !== undefined && text.trim() !== '') return text;
  throw invalidValue(`'${displayName}' is empty`, 'Enter a text. Nothing was sent.');
}

/** Like `requireText`, but without the blanks around the text. */
export function requireTrimmedText(field: Field, value: unknown): string {
  return requireText(field, value).trim();
}

function convertText(label: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  throw invalidValue(`'${label}' is not a text: ${shown(value)}`, 'Enter a text. Nothing was sent.');
}

/** Requires an email address, and removes the blanks around it. @throws UserError for anything else */
export function requireEmail({ displayName: label }: Field, value: unknown): string {
  if (isBlank(value))
    throw invalidValue(`'${label}' is empty`, 'Enter an email address, for example jane@example.com.');
  if (isEmail(value)) return value.trim();
  throw invalidValue(
    `'${label}' is not an email address: ${shown(value)}`,
    'Enter one email address, for example jane@example.com. Nothing was sent.',
  );
}

/** Reads email addresses from a list, or from a text split at `,` `;` and line breaks. @throws UserError for none, or for a wrong one */
export function requireEmails({ displayName: label }: Field, value: unknown): string[] {
  // A blank between two commas is no entry. What is not a text stays: the error below names it.
  const given = entriesIn(value, /[,;\n]/).filter((entry) => typeof entry !== 'string' || !isBlank(entry));
  if (isBlank(value) || given.length === 0) {
    throw invalidValue(`'${label}' is empty`, 'Enter at least one email address, several separated by commas.');
  }
  const wrong = given.filter((entry) => !isEmail(entry));
  const emails = given.filter(isEmail).map((email) => email.trim());
  if (wrong.length === 0) return uniqueBy(emails, (email) => email.toLowerCase());
  throw invalidValue(
    `'${label}' has ${wrong.length === 1 ? 'an entry that is not an email address' : 'entries that are not email addresses'}: ${wrong.map((entry) => shown(entry)).join(', ')}`,
    'Enter addresses such as jane@example.com, several separated by commas. Nothing was sent.',
  );
}

/** Whether a value is an email address, apart from blanks around it. */
export function isEmail(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 320 && EMAIL.test(value.trim());
}

/** Requires true, 1 or yes, or false, 0 or no, in upper or lower case. @throws UserError for anything else */
export function requireBoolean({ displayName: label }: Field, value: unknown): boolean {
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === true || word === 1 || word === 'true' || word === '1' || word === 'yes') return true;
  if (word === false || word === 0 || word === 'false' || word === '0' || word === 'no') return false;
  throw invalidValue(
    `'${label}' is neither true nor false: ${shown(value)}`,
    'Turn it on or off, or give true or false.',
  );
}

/** Requires a number of more than 0, perhaps as a text. @throws UserError for anything else */
export function requirePositiveNumber({ displayName }: Field, value: unknown): number {
  const number = convertNumber(displayName, value);
  if (number > 0) return number;
  throw invalidValue(`'${displayName}' is not more than 0`, 'Enter a number of more than 0.');
}

function convertNumber(label: string, value: unknown): number {
  const number = typeof value === 'string' && /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw invalidValue(`'${label}' is not a number: ${shown(value)}`, 'Enter a number.');
}

/** Requires a whole number, perhaps as a text, from the field's `minValue` to its `maxValue`. @throws UserError for anything else */
export function requireWholeNumber({ displayName: label, typeOptions = {} }: Field, value: unknown): number {
  const { minValue: min = 0, maxValue: max = Infinity } = typeOptions;
  const description = `Enter a whole number ${max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`}.`;
  const number = convertNumber(label, value);
  if (!Number.isInteger(number)) throw invalidValue(`'${label}' is not a whole number: ${shown(value)}`, description);
  if (number < min) throw invalidValue(`'${label}' is less than ${min}`, description);
  if (number > max) throw invalidValue(`'${label}' is more than ${max}`, description);
  return number;
}

/** Requires a date that `parseDate` can read. @returns ms since 1970 @throws UserError for anything else */
export function requireDate({ displayName: label }: Field, value: unknown, zone: string): number {
  const ms = parseDate(value, zone);
  if (!Number.isNaN(ms)) return ms;
  throw invalidValue(
    `'${label}' is not a date: ${shown(value)}`,
    'Enter a date-time such as 2026-02-09T08:30:00Z, or a date such as 2026-02-09.',
  );
}

/** Requires one of the options of a drop-down, in upper or lower case. @throws UserError that lists the options */
export function requireOption<T extends string>(field: ChoiceField<T>, value: unknown): T {
  const options = field.options.map((choice) => choice.value);
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  const option = options.find((each) => each.toLowerCase() === word);
  if (option !== undefined) return option;
  throw invalidValue(
    `'${field.displayName}' is not one of its options: ${shown(value)}`,
    `Choose one of: ${options.join(', ')}.`,
  );
}

/** Reads texts from a list, a list in JSON, or a text split at commas and line breaks. @throws UserError when one is no text or number */
export function splitTexts({ displayName }: Field, value: unknown): string[] {
  return textsIn(displayName, entriesIn(value, /[,\n]/));
}

/** Like `splitTexts`, but a text is one entry: a question's label may contain commas. @returns undefined when there are only commas and blanks */
export function optionalTexts({ displayName }: Field, value: unknown): string[] | undefined {
  const texts = textsIn(displayName, entriesIn(value, undefined));
  return texts.every((text) => /^[,\s]*$/.test(text)) ? undefined : texts;
}

function textsIn(label: string, entries: unknown[]): string[] {
  return [...new Set(entries.map((entry) => convertText(label, entry)?.trim() ?? '').filter((each) => each !== ''))];
}

function entriesIn(value: unknown, separator: RegExp | undefined): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string') return isBlank(value) ? [] : [value];
  const list = parseJson(value);
  if (Array.isArray(list)) return list;
  return separator === undefined ? [value] : value.split(separator);
}

/** Leaves out each item whose key is that of an earlier item. */
export function uniqueBy<T>(items: T[], keyOf: (item: T) => string): T[] {
  const first = new Map<string, T>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return [...first.values()];
}

/** Makes the error of a wrong value. The message says what is wrong, the description what to enter. */
export function invalidValue(message: string, description: string): UserError {
  return new UserError(message, { description });
}

/** Whether a value is undefined, null, a blank text, or a list of only such values. */
export function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBlank);
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value.trim() : jsonStringify(value ?? null, { replaceCircularRefs: true });
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
