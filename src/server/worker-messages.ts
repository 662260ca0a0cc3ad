/**
 * The messages between a supervisor and its workers. The supervisor also sends the name of a signal: the
 * worker stops.
 */

/** From a worker: it serves requests. */
export const LISTENING = 'listening';

/** From a worker: another worker is to take its place. */
export const REPLACE = 'replace';

/** To a worker: its successor serves requests. */
export const REPLACED = 'replaced';
