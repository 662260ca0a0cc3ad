import { DAY_MS, toIsoDate } from '../clock.ts';

/** Days by the clock of a time zone, the first one first. */
export interface CalendarDays {
  /** RFC 3339 full-dates. */
  readonly dates: readonly string[];
  /** When each day begins, and when the last one ends, in milliseconds since 1970-01-01T00:00:00Z: one more than dates. */
  readonly bounds: readonly number[];
}

/** Whether the runtime knows a time zone of the IANA database. Offsets such as `+01:00` are none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
}

/** The last `count` days in a time zone. The last one is the day of `now`. */
export function lastDays(now: number, count: number, timeZone: string): CalendarDays {
  const wallClock = wallClockOf(timeZone);
  const today = Math.floor(wallClock(now) / DAY_MS);
  const days = Array.from({ length: count + 1 }, (_day, index) => today - count + 1 + index);
  return {
    dates: days.slice(0, -1).map((day) => toIsoDate(day * DAY_MS)),
    bounds: days.map((day) => beginOf(day * DAY_MS, wallClock)),
  };
}

/** What a clock on the wall shows, as if it showed UTC. */
type WallClock = (ms: number) => number;

function wallClockOf(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    // Such as `3/29/2026, 01:59:59`.
    const [month = 0, day, year = 0, hour, minute, second] = (
      format.format(ms).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/**
 * The first moment at which the clock shows this midnight or a later time. There may be none at midnight: where clocks are set
 * forward at midnight, the day begins at one o'clock.
 */
function beginOf(midnight: number, wallClock: WallClock): number {
  // The offset before the midnight in UTC may differ from the offset of the day.
  const guess = midnight - (wallClock(midnight) - midnight);
  const begin = midnight - (wallClock(guess) - guess);
  if (wallClock(begin) === midnight && wallClock(begin - 1_000) < midnight) return begin;
  let before = midnight - 2 * DAY_MS;
  let after = midnight + 2 * DAY_MS;
  while (after - before > 1_000) {
    const middle = Math.floor((before + after) / 2_000) * 1_000;
    if (wallClock(middle) >= midnight) after = middle;
    else before = middle;
  }
  return after;
}
