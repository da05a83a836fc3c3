import { tryToParseDateTime } from 'n8n-workflow';

/** The patterns below would take long to search a longer text. */
const MAX_LENGTH = 100;

/** `2026-02-09`, `2026-02-09T08:30Z`, `2026-02-09 08:30:00.250 +01:00`. Not `2026-02-09 08:30 PM`: JavaScript would read it in n8n's own zone. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)(?:\[[\w/+-]+\])?)?)?$/i;
/** `Mon, 09 Feb 2026 08:30:00 GMT`, `Mon Feb 09 2026 08:30:00 GMT+0100`. A month in digits is refused: it could be the day. */
const NAMED_MONTH =
  /^(?:[a-z]{3,9},? )?(?:(\d{1,2}) ([a-z]{3,9})|([a-z]{3,9}) (\d{1,2}),?) (\d{4}) .*(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})(?: \(.*\))?$/i;

const CENTURY = { from: Date.UTC(2000, 0), to: Date.UTC(2100, 0) };

/**
 * Reads a date: a text, a Date, a DateTime of Luxon, or a number of ms or seconds since 1970 that lies in this century. A day without a time
 * begins at 00:00 UTC. A time without a zone is in `zone`.
 *
 * @returns ms since 1970; NaN when the value is not clearly a date
 */
export function parseDate(value: unknown, zone: string): number {
  if (typeof value === 'number') return instantOfNumber(value);
  if (typeof value === 'string') return instantOfText(value.trim(), zone);
  // A Luxon duration also has a number as `valueOf`, but it is no date.
  if (typeof value !== 'object' || value === null || !('getTime' in value || 'toJSDate' in value)) return NaN;
  return Number(value.valueOf());
}

function instantOfNumber(value: number): number {
  return Math.floor([value, value * 1_000].find((ms) => ms >= CENTURY.from && ms < CENTURY.to) ?? NaN);
}

function instantOfText(text: string, zone: string): number {
  if (text.length > MAX_LENGTH) return NaN;
  if (/^\d{10,13}(?:\.\d+)?$/.test(text)) return instantOfNumber(Number(text));
  const day = dayOf(text);
  // `tryToParseDateTime` would read the 30th of February as a day in March.
  if (day === undefined || !isInCalendar(day)) return NaN;
  try {
    // Of `+02:00[Europe/Berlin]`, Luxon would use the zone in brackets instead of the offset.
    const time = tryToParseDateTime(text.replace(/\[.*\]$/, ''), day === text ? 'UTC' : zone);
    // When the clocks are set back, a time comes twice. The first one is meant.
    return (time.getPossibleOffsets()[0] ?? time).toMillis();
  } catch {
    return NaN;
  }
}

/** Returns the day of a date as `2026-02-09`; undefined when the text is not clearly a date. */
function dayOf(text: string): string | undefined {
  const named = NAMED_MONTH.exec(text);
  if (named === null) return ISO.exec(text)?.[1];
  // `9 February` fills the first two groups, `February 9` the next two.
  const [, day1, month1, month2, day2, year = ''] = named;
  const month = new Date(`1 ${month1 ?? month2 ?? ''} ${year} UTC`);
  if (Number.isNaN(month.getTime())) return undefined;
  return month.toISOString().slice(0, 8) + (day1 ?? day2 ?? '').padStart(2, '0');
}

function isInCalendar(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
