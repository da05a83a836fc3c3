/** The words of a text that are separated by blanks or line breaks: a list of values in a few lines. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
