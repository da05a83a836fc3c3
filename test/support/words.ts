/** The words of a text: a list of values in a few lines. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
