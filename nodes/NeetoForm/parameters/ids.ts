import { isRecord } from '../json';
import { invalidValue } from './values';

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** The pattern of an ID in a web address. Put after `BEFORE_ID`, it matches a segment of the path that is nothing but a UUID. */
export const ID_IN_ADDRESS = `${UUID}(?=[/?#]|$)`;

/** The pattern of a web address up to an ID in its path: the protocol, the host, and any whole segments before the ID. */
export const BEFORE_ID = 'https?://[^/]+/(?:[^?#]*?/)?';

const ADDRESS_WITH_ID = new RegExp(`^${BEFORE_ID}(${ID_IN_ADDRESS})`, 'i');

/**
 * Reads an ID. The value may be the ID itself, a web address with the ID in its path, or a resource locator with one of these.
 *
 * @param label the label of the field, for the error
 * @param what the thing that has the ID, for the error: 'form', for example
 * @throws UserError when the value has no ID
 */
export function requireId(label: string, value: unknown, what: string): string {
  const id = idIn(locatorValue(value));
  const problem = idProblem(id);
  if (problem !== undefined)
    throw invalidValue(
      `'${label}' ${problem}`,
      `Choose a ${what} from the list, or enter its ID as the service shows it.`,
    );
  const text = String(id).trim();
  // A UUID may be entered in upper case: without this, a trigger would take both spellings for two forms.
  return isUuid(text) ? text.toLowerCase() : text;
}

/** The value in a resource locator. A value that is no locator is returned as it is: agents give such values. */
export function locatorValue(value: unknown): unknown {
  return isRecord(value) && 'mode' in value && 'value' in value ? value.value : value;
}

/** Whether a value has the form of the service's IDs. */
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(`^${UUID}$`).test(value.trim());
}

/** The ID in a web address: the first UUID in its path. Any other value is returned as it is. */
export function idIn(value: unknown): unknown {
  return (typeof value === 'string' ? ADDRESS_WITH_ID.exec(value.trim())?.[1] : undefined) ?? value;
}

/** Whether a value may be the title of a form. What was chosen from the list is an ID, and so are a UUID, an address with one, and a number. */
export function mayBeTitle(value: unknown): boolean {
  const isChosen = isRecord(value) && value.mode === 'list';
  const entered = idIn(locatorValue(value));
  return !isChosen && !isUuid(entered) && typeof entered !== 'number';
}

/**
 * Says why a value cannot be an ID; undefined when it can be one. An ID becomes one segment of a path. Therefore `.` and `..` are refused,
 * which URL parsers remove, and half a surrogate pair, which cannot be encoded.
 */
export function idProblem(id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return 'is empty';
  if (typeof id === 'number') return Number.isSafeInteger(id) ? undefined : 'is not an ID';
  if (typeof id !== 'string') return 'is not an ID';
  const text = id.trim();
  if (text === '') return 'is empty';
  if (text === '.' || text === '..' || /\p{Surrogate}/u.test(text)) return 'is not an ID';
  return /^https?:\/\//i.test(text) ? 'is an address from which no ID can be read' : undefined;
}
