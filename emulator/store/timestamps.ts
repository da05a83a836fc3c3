const ISO_8601 = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads an ISO 8601 date (00:00 UTC of that day) or date-time (UTC when it names no offset).
 * @returns milliseconds since 1970 UTC, or undefined when the text is neither
 */
export function parseTimestamp(text: string): number | undefined {
  const [, day, offset] = ISO_8601.exec(text) ?? [];
  if (day === undefined) return undefined;
  const ms = Date.parse(text.includes('T') && offset === undefined ? `${text}Z` : text);
  // Date.parse rolls 30 February over into March; the service refuses such a date.
  const isDay = new Date(`${day}T00:00Z`).getUTCDate() === Number(day.slice(-2));
  return isDay && !Number.isNaN(ms) ? ms : undefined;
}
