const DATE = /^\d{4}-\d{2}-\d{2}$/;
const WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/;

/** How to mend a date field. */
export const DATE_HINT = 'Enter a date-time such as 2026-02-09T08:30:00Z, or a date such as 2026-02-09.';

/**
 * Reads a date field's value: n8n's date picker gives text, an expression may give a date object.
 *
 * @param zone IANA name, for a time that names no zone; a date alone is 00:00 UTC of that day (`service-api.md`, "submitted_after")
 * @returns ms since 1970; undefined when the field is empty; 'no date' when it cannot be read
 */
export function parseDateParameter(value: unknown, zone: string): number | undefined | 'no date' {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  // n8n's own date objects (Luxon) give their ms as their primitive value.
  const ms = typeof value === 'string' ? parseDate(value, zone) : Number(value);
  return Number.isNaN(ms) ? 'no date' : ms;
}

/** A date-time or date to ms since 1970; NaN when it is neither. */
function parseDate(text: string, zone: string): number {
  const trimmed = text.trim();
  const [, date, time] = WITHOUT_ZONE.exec(trimmed) ?? [];
  if (date !== undefined && time !== undefined) return inZone(Date.parse(`${date}T${time}Z`), zone);
  return Date.parse(DATE.test(trimmed) ? `${trimmed}T00:00:00Z` : trimmed);
}

/** The instant at which clocks of a zone show what a UTC clock shows at `shown`. */
function inZone(shown: number, zone: string): number {
  if (Number.isNaN(shown)) return NaN;
  const guess = shown - offsetAt(shown, zone);
  // Near a change of the offset the first guess may stand on its other side.
  return shown - offsetAt(guess, zone);
}

/** ms that a zone's clocks are ahead of UTC at an instant. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((p) => p.type === type)?.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(instant / 1000) * 1000;
}
