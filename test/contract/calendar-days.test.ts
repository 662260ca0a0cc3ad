/** Days by the clock of a time zone, also where clocks are set forward or back, at midnight or not. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { isTimeZone, lastDays } from '../../src/orders/calendar-days.ts';

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe'],
  // Clocks are set forward at midnight, or back to the day before.
  ...['America/Havana', 'Africa/Cairo', 'America/Santiago', 'Asia/Beirut', 'America/Asuncion'],
];

test.each(ZONES)(
  'in %s each day begins at the first moment of its date, and ends where the next one begins',
  (timeZone) => {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone });
    const dateAt = (ms: number): string => format.format(ms);
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
  },
);

test('a day that a time zone left out has no time, and one without its midnight 23 hours', () => {
  const { dates, bounds } = lastDays(Date.UTC(2011, 11, 31, 12), 3, 'Pacific/Apia');
  expect(dates).toEqual(['2011-12-30', '2011-12-31', '2012-01-01']);
  expect((bounds[1] ?? 0) - (bounds[0] ?? 0)).toBe(0);
  const { bounds: inCairo } = lastDays(Date.UTC(2024, 3, 26, 12), 1, 'Africa/Cairo');
  expect((inCairo[1] ?? 0) - (inCairo[0] ?? 0)).toBe(23 * 3_600_000);
});

test.each(['Europe/Berlin', 'europe/berlin', 'UTC', 'America/Argentina/Buenos_Aires'])(
  '%s is a time zone',
  (name) => expect(isTimeZone(name)).toBe(true),
);

test.each(['', '+01:00', 'Mars/Olympus', 'Europe/Berlin\n', ' UTC', 'x'.repeat(300)])(
  '%j is no time zone',
  (name) => expect(isTimeZone(name)).toBe(false),
);
