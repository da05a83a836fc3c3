/** Matches any text. */
export const anyText: unknown = expect.any(String);

/** Matches a text by a pattern. */
export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

/** Matches an object that has at least these fields. */
export function objectWith(fields: Record<string, unknown>): unknown {
  return expect.objectContaining(fields);
}

/** Matches a list that has at least these items, in any order. */
export function listWith(...items: unknown[]): unknown {
  return expect.arrayContaining(items);
}
