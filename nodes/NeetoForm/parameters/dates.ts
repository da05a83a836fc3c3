import { tryToParseDateTime } from 'n8n-workflow';

/** How many characters the text of a date may have. A longer text is no date, and searching it would take long. */
const MAX_LENGTH = 100;

/**
 * A day, or a day with a time, and perhaps a zone: `2026-02-09 08:30:00.250 +01:00`, `2026-02-09T08:30Z`. Nothing else may follow: JavaScript
 * would read `2026-02-09 08:30 PM` in the time zone of n8n's process.
 */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)(?:\[[\w/+-]+\])?)?)?$/i;
/**
 * Dates with the name of the month: `Mon, 09 Feb 2026 08:30:00 GMT`, `Mon Feb 09 2026 08:30:00 GMT+0100`. A month in digits is not accepted,
 * because it could be the day.
 */
const NAMED_MONTH =
  /^(?:[a-z]{3,9},? )?(?:(\d{1,2}) ([a-z]{3,9})|([a-z]{3,9}) (\d{1,2}),?) (\d{4}) .*(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})(?: \(.*\))?$/i;

const SECOND = 1_000;
const CENTURY = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) };

/**
 * Reads a date: text, a date object of JavaScript or of n8n (Luxon), or a number of ms or seconds since 1970 that lies in this century.
 * A date alone is 00:00 UTC of that day; a time without a zone is in `zone`.
 * @returns ms since 1970; NaN when it is not clearly a date
 */
export function parseDate(value: unknown, zone: string): number {
  if (typeof value === 'number') return instantOfNumber(value);
  if (typeof value === 'string') return instantOfText(value.trim(), zone);
  // `valueOf` of a Luxon duration is a number, too, but a duration is no date.
  if (typeof value !== 'object' || value === null || !('getTime' in value || 'toJSDate' in value)) return NaN;
  return Number(value.valueOf());
}

function instantOfNumber(value: number): number {
  return Math.floor([value, value * SECOND].find((ms) => ms >= CENTURY.from && ms < CENTURY.to) ?? NaN);
}

function instantOfText(text: string, zone: string): number {
  if (text.length > MAX_LENGTH) return NaN;
  if (/^\d{10,13}(?:\.\d+)?$/.test(text)) return instantOfNumber(Number(text));
  const day = dayOf(text);
  // n8n's function would read the 30th of February as a day in March.
  if (day === undefined || !isInCalendar(day)) return NaN;
  try {
    // Luxon would take the zone in the brackets of `+02:00[Europe/Berlin]` rather than the offset before them.
    const time = tryToParseDateTime(text.replace(/\[.*\]$/, ''), day === text ? 'UTC' : zone);
    // When the clocks are set back, a time comes twice. The first one is meant.
    return (time.getPossibleOffsets()[0] ?? time).toMillis();
  } catch {
    return NaN;
  }
}

/** The day that the text of a date names, in the form 2026-02-09. Undefined when it is not clear which day is meant. */
function dayOf(text: string): string | undefined {
  const named = NAMED_MONTH.exec(text);
  if (named === null) return ISO.exec(text)?.[1];
  // `9 February` fills the first two groups of the pattern, `February 9` the two after them.
  const [, day1, month1, month2, day2, year = ''] = named;
  const month = new Date(`1 ${month1 ?? month2 ?? ''} ${year} UTC`);
  if (Number.isNaN(month.getTime())) return undefined;
  return month.toISOString().slice(0, 8) + (day1 ?? day2 ?? '').padStart(2, '0');
}

function isInCalendar(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
