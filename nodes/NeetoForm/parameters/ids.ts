import { BEFORE_ID, ID_IN_ADDRESS, UUID } from '../fields/formLocator';
import { isRecord } from '../json';
import { invalidValue } from './values';

const ADDRESS_WITH_ID = new RegExp(`^${BEFORE_ID}(${ID_IN_ADDRESS})`, 'i');

/** Reads an ID, which is any text that can be a segment of a path. It may be in a web address or a resource locator. @throws UserError */
export function requireId(label: string, value: unknown, what: string): string {
  const id = idIn(locatorValue(value));
  const problem = idProblem(id);
  if (problem !== undefined)
    throw invalidValue(
      `'${label}' ${problem}`,
      `Choose a ${what} from the list, or enter its ID as the service shows it.`,
    );
  const text = String(id).trim();
  // Without this, a trigger would take a UUID in upper case for another form.
  return isUuid(text) ? text.toLowerCase() : text;
}

/** Returns the value in a resource locator. An agent gives a value without a locator, which is returned as it is. */
export function locatorValue(value: unknown): unknown {
  return isRecord(value) && 'mode' in value && 'value' in value ? value.value : value;
}

/** Whether a value is a UUID, in upper or lower case. All IDs that the service has shown so far are UUIDs. */
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(`^${UUID}$`).test(value.trim());
}

/** Returns the first UUID in the path of a web address. Any other value is returned as it is. */
export function idIn(value: unknown): unknown {
  return (typeof value === 'string' ? ADDRESS_WITH_ID.exec(value.trim())?.[1] : undefined) ?? value;
}

/** Whether a value may be the title of a form. A choice from the list, a UUID, an address with a UUID, and a number are IDs. */
export function mayBeTitle(value: unknown): boolean {
  const isChosen = isRecord(value) && value.mode === 'list';
  const entered = idIn(locatorValue(value));
  return !isChosen && !isUuid(entered) && typeof entered !== 'number';
}

/** Says why a value cannot be an ID; undefined when it can be one. */
export function idProblem(value: unknown): string | undefined {
  const id = typeof value === 'string' ? value.trim() : (value ?? '');
  if (id === '') return 'is empty';
  if (typeof id === 'number') return Number.isSafeInteger(id) ? undefined : 'is not an ID';
  // The ID becomes a segment of a path. URL parsers remove `.` and `..`, and half a surrogate pair cannot be encoded.
  if (typeof id !== 'string' || id === '.' || id === '..' || /\p{Surrogate}/u.test(id)) return 'is not an ID';
  return /^https?:\/\//i.test(id) ? 'is an address from which no ID can be read' : undefined;
}
