import { parseDate } from '../../nodes/NeetoForm/parameters/dates';
import { words } from '../support/words';

const zones = words(`
  UTC Europe/Berlin America/New_York Asia/Kolkata Australia/Lord_Howe Pacific/Chatham America/St_Johns Asia/Tokyo
  Pacific/Apia`);

describe('a date', () => {
  it.each([
    ['2026-02-09T08:30', 'Asia/Kolkata', '2026-02-09T03:00:00Z'],
    ['2026-02-09 08:30:00', 'America/New_York', '2026-02-09T13:30:00Z'],
    ['2026-02-09T08:30:00.250', 'Pacific/Chatham', '2026-02-08T18:45:00.250Z'],
    // A time that the clocks skip has the offset before the change.
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
    ['2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00Z'],
    // A time that comes twice has the offset before the change.
    ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2026-11-01T01:30:00', 'America/New_York', '2026-11-01T05:30:00Z'],
    // A day begins in UTC.
    ['2026-02-09', 'Pacific/Apia', '2026-02-09T00:00:00Z'],
    ['2024-02-29', 'America/New_York', '2024-02-29T00:00:00Z'],
  ])('reads %s, which has no zone, in the zone %s', (text, zone, instant) => {
    expect(parseDate(text, zone)).toBe(Date.parse(instant));
  });

  it.each([
    ['2026-02-09T08:30:00+05:30', '2026-02-09T03:00:00Z'],
    ['2026-02-09T08:30:00-0800', '2026-02-09T16:30:00Z'],
    ['2026-02-09 08:30:00.250-08', '2026-02-09T16:30:00.250Z'],
    ['2026-02-09T08:30:00.464987Z', '2026-02-09T08:30:00.464Z'],
    ['Mon, 09 Feb 2026 08:30:00 GMT', '2026-02-09T08:30:00Z'],
    ['09 Feb 2026 08:30:00 Z', '2026-02-09T08:30:00Z'],
    ['2026-02-09 08:30:00 UTC', '2026-02-09T08:30:00Z'],
    ['February 9, 2026 08:30 UTC', '2026-02-09T08:30:00Z'],
    ['Mon Feb 09 2026 08:30:00 GMT+0100 (Central European Standard Time)', '2026-02-09T07:30:00Z'],
    [' 2026-02-09T08:30:00Z ', '2026-02-09T08:30:00Z'],
    ['2026-02-09 08:30:00.250 +01:00', '2026-02-09T07:30:00.250Z'],
    ['2026-02-09T08:30:00,250Z', '2026-02-09T08:30:00.250Z'],
    // The offset counts, not the zone.
    ['2026-02-09T08:30:00Z[Europe/Berlin]', '2026-02-09T08:30:00Z'],
    ['2026-10-25T02:30:00+02:00[Europe/Berlin]', '2026-10-25T00:30:00Z'],
    ['2026-02-09 08:30:00 GMT', '2026-02-09T08:30:00Z'],
    ['2026-02-09T08:30:00-1200', '2026-02-09T20:30:00Z'],
    ['2026-02-09T08:30:00+14:00', '2026-02-08T18:30:00Z'],
    ['2026-02-09T08:30:00+13:00', '2026-02-08T19:30:00Z'],
    ['2026-02-09T08:30:00-05:00[America/Port-au-Prince]', '2026-02-09T13:30:00Z'],
    ['2026-02-09T08:30:00-05:00[Etc/GMT+5]', '2026-02-09T13:30:00Z'],
    ['2026-02-09t08:30:00z', '2026-02-09T08:30:00Z'],
    ['2026-02-09 08:30 utc', '2026-02-09T08:30:00Z'],
    ['9 September 2026 08:30 UTC', '2026-09-09T08:30:00Z'],
    ['Wednesday, September 9, 2026 08:30 UTC', '2026-09-09T08:30:00Z'],
    ['Mon, 09 Feb 2026 08:30:00 +01:00', '2026-02-09T07:30:00Z'],
    ['Mon Feb 09 2026 08:30:00 GMT-0500 (Eastern Standard Time)', '2026-02-09T13:30:00Z'],
    ['Mon Feb 09 2026 08:30:00 GMT+0845 (Australian Central Western Standard Time)', '2026-02-08T23:45:00Z'],
    // A number that is ms or seconds in this century, or a text that is nothing else.
    [1_770_625_800_000, '2026-02-09T08:30:00Z'],
    ['1770625800000', '2026-02-09T08:30:00Z'],
    ['1770625800.2525', '2026-02-09T08:30:00.252Z'],
    ['946684800000', '2000-01-01T00:00:00Z'],
    [946_684_800, '2000-01-01T00:00:00Z'],
    [4_102_444_799, '2099-12-31T23:59:59Z'],
  ])('reads %p, which says its zone or needs none, in any zone', (value, instant) => {
    for (const zone of zones) expect(parseDate(value, zone)).toBe(Date.parse(instant));
  });

  it('reads a date object of JavaScript, or one of n8n, whose value is a number', () => {
    const ms = Date.parse('2026-02-09T08:30:00.464Z');
    const ofLuxon = { valueOf: () => ms, toJSDate: () => new Date(ms) };
    expect([new Date(ms), ofLuxon].map((value) => parseDate(value, 'UTC'))).toEqual([ms, ms]);
  });

  it.each([
    // Numbers and texts of digits that are neither ms nor seconds in this century.
    ...[0, -1, 2026, 20260209, 86_400_000, 946_684_799, 4_102_444_800, 4_102_444_800_000, 1e20, NaN, '2026', '0'],
    // JavaScript would read these in the time zone of n8n's process.
    ...['2026-02-09 08:00:00 PM', '2026-02-09 08:00 AM', '2026-02-09 08:00:00 (x)', '2026-02-09 08:00 CET'],
    ...words('2026-02-09T08:00:00+99:00 2026-02-09T08:00:00+01:60'),
    ...words('yesterday 09.02.2026 02/09/2026 2026/02/09 2026-02-29 2026-13-01 2026-02-09T25:00:00 T null'),
    ...words('2026-02-29T08:00:00+01:00 2026-04-31T08:00:00 1770625800x x1770625800 1770625800.x'),
    ...['Feb 9, 2026', 'Monday 8:30', '2026-02-09T08:30:00 Mars', '', undefined, null, true, {}, [], [5], 10n],
    'id 1770625800',
    // The order of day and month is not clear, or there is no such day.
    ...['09/02/2026 08:30 UTC', '1 2 2026 10:00Z', '2026-2-30 10:00Z', 'Mon, 30 Feb 2026 08:30:00 GMT'],
    ...['Feb 31 2026 08:30 UTC', '9 Foo 2026 08:30 UTC'],
    `Mon Feb 09 2026 08:30:00 GMT+0100 (${'x'.repeat(100)})`,
    // A duration.
    { valueOf: () => 604_800_000, toISO: () => 'P7D' },
    ...[{ valueOf: 0 }, { valueOf: {} }, Object.create(null) as unknown, new Date('x')],
  ])('is no date when it is something else, or not clear: case %#', (value) => {
    for (const zone of zones) expect(parseDate(value, zone)).toBeNaN();
  });
});
