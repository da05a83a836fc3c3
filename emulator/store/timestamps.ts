const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * Reads an ISO 8601 date (00:00 UTC of that day) or date-time (UTC when it names no offset).
 * @returns microseconds since 1970 UTC, or undefined when the text is neither
 */
export function parseTimestamp(text: string): number | undefined {
  const date = DATE.exec(text);
  if (date) return dayMicros(date[1], date[2], date[3]);

  const parts = DATE_TIME.exec(text);
  if (!parts) return undefined;
  const day = dayMicros(parts[1], parts[2], parts[3]);
  const hours = Number(parts[4]);
  const minutes = Number(parts[5]);
  const seconds = Number(parts[6] ?? '0');
  const offset = offsetMinutes(parts[8]);
  if (day === undefined || offset === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;

  const micros = Number((parts[7] ?? '').padEnd(6, '0').slice(0, 6));
  return day + ((hours * 60 + minutes - offset) * 60 + seconds) * 1_000_000 + micros;
}

/**
 * The way the service shows a time: UTC with milliseconds.
 * @param micros microseconds since 1970 UTC
 */
export function formatTimestamp(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}

function dayMicros(year: string | undefined, month: string | undefined, day: string | undefined): number | undefined {
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const made = new Date(ms);
  // Date.UTC rolls 30 February over into March; the service refuses such a date.
  return made.getUTCMonth() + 1 === Number(month) && made.getUTCDate() === Number(day) ? ms * 1000 : undefined;
}

function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Z') return 0;
  const digits = text.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2) || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
