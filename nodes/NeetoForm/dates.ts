const ISO_DAY = /^\d{4}-\d{2}-\d{2}/;
const WITHOUT_ZONE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/;
/** ISO 8601, and what dates write of themselves: `Mon, 09 Feb 2026 08:30:00 GMT`. */
const WITH_ZONE = /\d:\d{2}.*(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})(?:\s*\(.*\))?$/i;

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
  const ms = typeof value === 'string' ? parseDate(value.trim(), zone) : instantOf(value);
  // A number of ms can lie beyond what a date can be.
  return Number.isNaN(new Date(ms).getTime()) ? 'no date' : ms;
}

/** A number is ms; so is the primitive value of JavaScript's dates and of n8n's own (Luxon). NaN when it is none of these. */
function instantOf(value: unknown): number {
  // What an expression gives may have anything in the place of the method.
  const primitive: unknown =
    typeof value === 'object' && value !== null && typeof value.valueOf === 'function' ? value.valueOf() : value;
  return typeof primitive === 'number' ? primitive : NaN;
}

/** A date-time or date to ms since 1970; NaN when it is neither. Other spellings would be read in this computer's zone, or not as meant. */
function parseDate(text: string, zone: string): number {
  const [day] = ISO_DAY.exec(text) ?? [];
  if (day !== undefined && !isInCalendar(day)) return NaN;
  if (day === text) return Date.parse(day);
  const [, date, time] = WITHOUT_ZONE.exec(text) ?? [];
  if (date !== undefined && time !== undefined) return inZone(Date.parse(`${date}T${time}Z`), zone);
  return WITH_ZONE.test(text) ? Date.parse(text) : NaN;
}

/** Whether a day is not one that JavaScript would take for another, as the 30th of February. */
function isInCalendar(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
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
