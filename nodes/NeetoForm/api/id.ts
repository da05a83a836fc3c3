const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ADDRESS_WITH_ID = new RegExp(`^https?://[^/]+/(?:[^?#]*?/)?(${UUID})(?=[/?#]|$)`, 'i');

/** Whether a value has the form of the service's IDs. */
export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(`^${UUID}$`, 'i').test(value.trim());
}

/** The ID in a web address, the first UUID of its path; any other value as it is. */
export function idIn(value: unknown): unknown {
  return (typeof value === 'string' ? ADDRESS_WITH_ID.exec(value.trim())?.[1] : undefined) ?? value;
}

/**
 * Says why a value cannot be an ID. An ID becomes one encoded segment of the path, so it must not be empty, a dot segment (encoding
 * leaves it as it is and URL parsers collapse it) or hold half of a character (which cannot be encoded).
 *
 * @returns what is wrong, to follow the field's name; undefined when nothing is
 */
export function validateId(id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return 'is empty';
  if (typeof id === 'number') return Number.isSafeInteger(id) ? undefined : 'is not an ID';
  if (typeof id !== 'string') return 'is not an ID';
  const text = id.trim();
  if (text === '') return 'is empty';
  if (text === '.' || text === '..' || /\p{Surrogate}/u.test(text)) return 'is not an ID';
  return /^https?:\/\//i.test(text) ? 'is an address from which no ID can be read' : undefined;
}
