/** Matches any text. */
export const anyText: unknown = expect.any(String);

/** Matches a text by a pattern. */
export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
