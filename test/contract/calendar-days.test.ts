/** Days by the clock of a time zone, also where clocks are set forward or back, at midnight or not. */
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { isTimeZone, lastDays } from '../../src/orders/calendar-days.ts';

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'],
  // Clocks are set forward at midnight, or back to the day before.
  ...['America/Havana', 'Africa/Cairo', 'America/Santiago', 'Asia/Beirut', 'America/Asuncion'],
];

describe.each(ZONES)('in %s', (timeZone) => {
  const dates = new Intl.DateTimeFormat('sv-SE', { timeZone });
  const dateAt = (ms: number): string => dates.format(ms);

  test('each day begins at the first moment of its date, and ends where the next one begins', () => {
    const anyTime = fc.integer({ min: Date.UTC(2015, 0, 1), max: Date.UTC(2030, 0, 1) });
    fc.assert(
      fc.property(anyTime, (now) => {
        const { dates, bounds } = lastDays(now, 30, timeZone);
        expect(dates.at(-1)).toBe(dateAt(now));
        expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
        for (const [index, date] of dates.entries()) {
          const begin = bounds[index] ?? 0;
          expect([dateAt(begin), dateAt(begin - 1) < date]).toEqual([date, true]);
          expect(dateAt((bounds[index + 1] ?? 0) - 1)).toBe(date);
        }
      }),
      { numRuns: 15, seed: 7 },
    );
  });
});

const hoursOf = (timeZone: string, date: string): number => {
  const { dates, bounds } = lastDays(Date.parse(`${date}T12:00:00Z`), 3, timeZone);
  const index = dates.indexOf(date);
  return ((bounds[index + 1] ?? 0) - (bounds[index] ?? 0)) / 3_600_000;
};

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['Europe/Berlin', '2026-10-26', 24],
  ['Africa/Cairo', '2024-04-26', 23],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['UTC', '2026-03-29', 24],
])('in %s the %s has %d hours', (timeZone, date, hours) => {
  expect(hoursOf(timeZone, date)).toBe(hours);
});

test('a day that a time zone left out has no time', () => {
  const { dates, bounds } = lastDays(Date.UTC(2011, 11, 31, 12), 3, 'Pacific/Apia');
  expect(dates).toEqual(['2011-12-30', '2011-12-31', '2012-01-01']);
  expect((bounds[1] ?? 0) - (bounds[0] ?? 0)).toBe(0);
});

test.each(['Europe/Berlin', 'europe/berlin', 'UTC', 'America/Argentina/Buenos_Aires'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
);

test.each(['', '+01:00', 'Mars/Olympus', 'Europe/Berlin\n', ' UTC', 'x'.repeat(300)])(
  '%j is no time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);
