/** Matches a text by a pattern. */
export function textLike(pattern: RegExp): unknown {
  return expect.stringMatching(pattern);
}
