/** Numbers and times as the browser's language writes them. */
import { serviceNow } from './clock.ts';

const NUMBER = new Intl.NumberFormat();
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
});
const SHORT_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const YEAR = new Intl.DateTimeFormat(undefined, { year: 'numeric' });
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
/** The days of usage are days of UTC. */
const UTC_DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
/** Units stand within English sentences. */
const MINUTES = new Intl.NumberFormat('en', { style: 'unit', unit: 'minute' });
const SECONDS = new Intl.NumberFormat('en', { style: 'unit', unit: 'second' });
const HOURS = new Intl.NumberFormat('en', { style: 'unit', unit: 'hour' });

export const formatNumber = (value: number): string => NUMBER.format(value);
export const formatTime = (iso: string): string => TIME.format(new Date(iso));
export const formatClock = (ms: number): string => CLOCK.format(ms);
/** A time of this day by the clock, another one by its day. That of this year needs no year. */
export const formatLately = (iso: string): string => {
  const at = new Date(iso);
  const isNow = (part: Intl.DateTimeFormat) => part.format(at) === part.format(serviceNow());
  if (isNow(DAY)) return SHORT_CLOCK.format(at);
  return (isNow(YEAR) ? DAY_OF_YEAR : DAY).format(at);
};
export const formatDay = (iso: string): string => DAY.format(new Date(iso));
export const formatLongDay = (ms: number): string => LONG_DAY.format(ms);
export const formatUtcDay = (date: string): string => UTC_DAY.format(new Date(date));

const MINUTE_MS = 60_000;
const TWO_HOURS_MS = 120 * MINUTE_MS;

/** A duration in minutes, or in hours if it is long. Never shorter than it is. */
export const formatTimeLeft = (ms: number): string =>
  ms < TWO_HOURS_MS
    ? MINUTES.format(Math.ceil(ms / MINUTE_MS))
    : HOURS.format(Math.ceil(ms / (60 * MINUTE_MS)));

/** A duration in seconds. Never shorter than it is. */
export const formatSeconds = (ms: number): string => SECONDS.format(Math.ceil(ms / 1000));

/** A number of something, such as `1 animal` or `2 animals`. */
export const counted = (count: string, one: string, several: string): string =>
  `${count} ${count === '1' ? one : several}`;
