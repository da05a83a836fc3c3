const DAY = /(\d{4}-\d{2}-\d{2})/;
const TIME = /((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?/;
const OFFSET = /Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?/;
const ISO_8601 = new RegExp(`^${DAY.source}(?:T${TIME.source}(?:${OFFSET.source})?)?$`);

/**
 * Reads an ISO 8601 date (00:00 UTC of that day) or date-time (UTC when it names no offset).
 * @returns microseconds since 1970 UTC, or undefined when the text is neither
 */
export function parseTimestamp(text: string): number | undefined {
  const parts = ISO_8601.exec(text);
  if (!parts) return undefined;
  const [, day = '', time = '00:00', seconds = '00', fraction = '', hours = '+00', minutes = '00'] = parts;
  const midnight = Date.parse(day);
  // Date.parse rolls 30 February over into March; the service refuses such a date.
  if (Number.isNaN(midnight) || !formatTimestamp(midnight * 1000).startsWith(day)) return undefined;
  const ms = Date.parse(`${day}T${time}:${seconds}${hours}:${minutes}`);
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/**
 * The way the service shows a time: UTC with milliseconds.
 * @param micros microseconds since 1970 UTC
 */
export function formatTimestamp(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}
