/** Begins a new generation of events. */
export const RENEW_EVENTS =
  'UPDATE animal_store.event_feed SET generation = left(gen_random_uuid()::text, 8)';
