import fc from 'fast-check';

import { parseDateParameter } from '../../nodes/NeetoForm/dates';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Tokyo',
  'Pacific/Apia',
];
const instant = fc.integer({ min: Date.parse('2001-01-01T00:00:00Z'), max: Date.parse('2040-01-01T00:00:00Z') });

/** What the clocks of a zone show, as text without a zone. */
function shownIn(zone: string, ms: number): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(ms);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`;
}

describe('a date field', () => {
  it('reads what it is in ISO 8601, in any zone', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (ms, zone) =>
        expect(parseDateParameter(new Date(ms).toISOString(), zone)).toBe(ms),
      ),
    );
  });

  it('reads a time without zone as the time at which the clocks of the zone show it', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (ms, zone) => {
        const shown = shownIn(zone, ms);
        const read = parseDateParameter(shown, zone);
        // When the clocks go back, they show a time twice: any of the two will do.
        expect(typeof read === 'number' && shownIn(zone, read)).toBe(shown);
        expect(Math.abs(Number(read) - ms)).toBeLessThanOrEqual(3_601_000);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    // The hours that clocks jump over, forward by the hour in these zones.
    ['2026-03-29T02:30:00', 'Europe/Berlin'],
    ['2026-03-08T02:30:00', 'America/New_York'],
    ['2011-12-30T12:00:00', 'Pacific/Apia'],
  ])('reads %s, which clocks in %s never showed, as a time near it', (text, zone) => {
    const read = Number(parseDateParameter(text, zone));
    expect(Math.abs(Date.parse(`${shownIn(zone, read)}Z`) - Date.parse(`${text}Z`))).toBeLessThanOrEqual(86_400_000);
  });

  it('reads a day as its beginning in UTC, in any zone', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (ms, zone) => {
        const day = new Date(ms).toISOString().slice(0, 10);
        expect(parseDateParameter(day, zone)).toBe(Date.parse(`${day}T00:00:00Z`));
      }),
    );
  });

  it('reads the leap day of a leap year, and of no other', () => {
    expect(parseDateParameter('2024-02-29', 'UTC')).toBe(Date.parse('2024-02-29T00:00:00Z'));
    expect(parseDateParameter('2026-02-29', 'UTC')).toBe('no date');
    expect(parseDateParameter('2026-02-29T08:00:00+01:00', 'UTC')).toBe('no date');
    expect(parseDateParameter('2026-04-31T08:00:00', 'UTC')).toBe('no date');
  });

  it('keeps fractions of a second to the millisecond', () => {
    expect(parseDateParameter('2026-02-09T08:30:00.464', 'Asia/Kolkata')).toBe(Date.parse('2026-02-09T03:00:00.464Z'));
    expect(parseDateParameter('2026-02-09T08:30:00.464987Z', 'UTC')).toBe(Date.parse('2026-02-09T08:30:00.464Z'));
  });

  it('is empty, a time that can be sent, or no date, whatever comes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string(), fc.double(), fc.date({ noInvalidDate: false })), (value) => {
        const read = parseDateParameter(value, 'Europe/Berlin');
        expect(read === undefined || read === 'no date' || new Date(read).toISOString() !== '').toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([{ valueOf: 0 }, { valueOf: {} }, Object.create(null) as unknown, 10n])(
    'is no date when an expression gives something odd: case %#',
    (value) => {
      expect(parseDateParameter(value, 'UTC')).toBe('no date');
    },
  );

  it.each([undefined, null, ''])('is empty when it is %p', (value) => {
    expect(parseDateParameter(value, 'UTC')).toBeUndefined();
  });
});
