/** Begins a new generation of events. */
export const RENEW_EVENTS = 'UPDATE event_feed SET generation = lower(hex(randomblob(4)))';
