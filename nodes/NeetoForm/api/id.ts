/**
 * Finds what keeps a value from being an ID. An ID is one encoded path segment, so what it may not be is: nothing, no text, a dot
 * segment, which encoding leaves as it is and URL parsers collapse, or half of a character, which cannot be encoded.
 *
 * @returns what is wrong, to follow the field's name; undefined when nothing is
 */
export function validateId(id: unknown): string | undefined {
  if (id === undefined || id === null || id === '') return 'is empty';
  if (typeof id === 'number') return undefined;
  if (typeof id !== 'string') return 'is not an ID';
  const text = id.trim();
  if (text === '') return 'is empty';
  if (text === '.' || text === '..' || /\p{Surrogate}/u.test(text)) return 'is not an ID';
  return /^https?:\/\//i.test(text) ? 'is an address from which no ID can be read' : undefined;
}
