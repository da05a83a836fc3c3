/** Stands for any text. */
export const anyText: unknown = expect.any(String);

/** Stands for a text that matches. */
export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}

/** Stands for an object that has at least these fields. */
export function objectWith(fields: Record<string, unknown>): unknown {
  return expect.objectContaining(fields);
}

/** Stands for a list that has at least these items, in any order. */
export function listWith(...items: unknown[]): unknown {
  return expect.arrayContaining(items);
}
