import { expect } from 'bun:test';
import { WHAT, what } from '../support/stored-events.ts';

const UPDATED = `(${WHAT}) = (${what('pet.updated', 1)})`;

/** Statements that cause faults in the catalogue of `fillCatalogue`, and the faults that `check` finds then. */
export interface FaultToFind {
  readonly statements: readonly string[];
  readonly faults: readonly string[];
}

/** The same on both engines. Order 1 is placed for animal 1, order 2 is approved for animal 2; both animals are pending. */
export const FAULTS_TO_FIND: Readonly<Record<string, FaultToFind>> = {
  'open orders whose animals are not pending': {
    statements: [
      "UPDATE pets SET status = 'available' WHERE id = 1",
      'UPDATE pets SET status = NULL WHERE id = 2',
    ],
    faults: [
      'order 1 is placed, but its animal 1 is available, not pending',
      'order 2 is approved, but its animal 2 has no status, not pending',
    ],
  },
  'folded names that are not those of the names': {
    statements: [
      "UPDATE pets SET name = 'Rêx' WHERE id = 1",
      "UPDATE pets SET folded_name = 'x' WHERE id = 2",
    ],
    faults: ['the folded texts of 2 rows of pets are wrong (the first id is 1)'],
  },
  'an open order without its animal': {
    statements: ['DELETE FROM pets WHERE id = 2'],
    faults: ['order 2 is approved, but its animal 2 does not exist'],
  },
  'an order for an id that was never assigned': {
    statements: [
      'UPDATE orders SET pet_id = 4000000000000000000 WHERE id = 3',
      'UPDATE orders SET pet_id = 0 WHERE id = 4',
    ],
    faults: [
      'order 3 is for animal 4000000000000000000, an id that was never assigned',
      'order 4 is for animal 0, an id that was never assigned',
    ],
  },
  'times beyond the calendar': {
    statements: [
      'UPDATE orders SET created_at = 9223372036854775807 WHERE id = 4',
      'UPDATE api_keys SET expires_at = -9223372036854775807 WHERE id = 1',
      'UPDATE events SET at = 9223372036854775807 WHERE id = 1',
      'UPDATE events SET at = -1 WHERE id = 2',
    ],
    faults: [
      'row 4 of orders contains an impossible time',
      'row 1 of api_keys contains an impossible time',
      'row 1 of events contains an impossible time',
    ],
  },
  'ends that do not fit the status, and a hold without an end': {
    statements: [
      'UPDATE orders SET ended_at = 1 WHERE id = 2',
      'UPDATE orders SET ended_at = NULL WHERE id = 4',
      'UPDATE orders SET ended_at = 9223372036854775807 WHERE id = 5',
      'UPDATE orders SET expires_at = NULL WHERE id = 1',
      'UPDATE orders SET delivered_at = 9223372036854775807 WHERE id = 3',
    ],
    faults: [
      'order 2 is approved, but has the time of an end',
      'order 4 is cancelled, but the time of its end is missing',
      'order 1 is placed, but never expires',
      'row 3 of orders contains an impossible time',
      'row 5 of orders contains an impossible time',
    ],
  },
  'times of other tables beyond the calendar': {
    statements: [
      'UPDATE api_keys SET rotated_until = 9223372036854775807 WHERE id = 2',
      'UPDATE operation_usage SET last_called_at = 9223372036854775807',
      'UPDATE daily_usage SET day = 200000000',
      'UPDATE idempotency_records SET saved_at = -9223372036854775807',
      'UPDATE webhook_endpoints SET failing_since = 9223372036854775807',
      'UPDATE webhook_secrets SET expires_at = 9223372036854775807 WHERE id = 1',
      'UPDATE webhook_deliveries SET attempted_at = 9223372036854775807 WHERE id = 1',
    ],
    faults: [
      'row 2 of api_keys contains an impossible time',
      'row 1 of operation_usage contains an impossible time',
      'row 200000000 of daily_usage contains an impossible time',
      'row 1 of idempotency_records contains an impossible time',
      'row 1 of webhook_endpoints contains an impossible time',
      'row 1 of webhook_secrets contains an impossible time',
      'row 1 of webhook_deliveries contains an impossible time',
    ],
  },
  'events that nobody can read': {
    statements: [
      `UPDATE events SET ${UPDATED}, content = 'no JSON' WHERE id = 1`,
      `UPDATE events SET ${UPDATED}, content = '{"data":5}' WHERE id = 3`,
    ],
    faults: [1, 3].map(
      (id) =>
        `row ${id} of events (pet.updated of pets/1) cannot be read: its content is not the JSON of an event`,
    ),
  },
  'events whose codes make no sense': {
    statements: [
      // A later version may have added these two.
      `UPDATE events SET (${WHAT}) = (99, 1, 1) WHERE id = 1`,
      `UPDATE events SET (${WHAT}) = (2, 0, 1) WHERE id = 2`,
      `UPDATE events SET (${WHAT}) = (5, 1, 7) WHERE id = 3`,
      `UPDATE events SET (${WHAT}) = (${what('pet.updated', 0)}) WHERE id = 4`,
      `UPDATE events SET (${WHAT}) = (${what('pets.imported', 7)}) WHERE id = 5`,
    ],
    faults: [
      'row 3 of events (order.placed of pets/7) has a type of other subjects',
      'row 4 of events (pet.updated of pets/0) has the id 0, which none has',
      'row 5 of events (pets.imported of pets) has the id 7, which none has',
    ],
  },
  'a kept response that is cut off': {
    statements: ['UPDATE idempotency_records SET response = substr(response, 1, 27)'],
    faults: ['a kept response for API key 1 is too short to be read'],
  },
  'a feed that hides its events': {
    statements: ['UPDATE event_feed SET deleted_to = 4000000000000000000'],
    faults: [
      expect.stringMatching(
        /^event_feed says that the events up to 4000000000000000000 are deleted, but the highest one was \d+$/,
      ),
    ],
  },
  'a feed with a position that no event had': {
    statements: ['UPDATE event_feed SET deleted_to = -1'],
    faults: [expect.stringContaining('says that the events up to -1 are deleted')],
  },
  'a feed without its generation': {
    statements: ['DELETE FROM event_feed'],
    faults: ['event_feed has 0 rows, not one'],
  },
  'wrong counts': {
    statements: ['UPDATE category_counts SET pending = 1, sold = 5 WHERE category_id = 1'],
    faults: [
      'category_counts has 1 animals of category 1 with the status pending, but there are 3',
      'category_counts has 5 animals of category 1 with the status sold, but there are 1',
    ],
  },
  'a category that is missing among the counts': {
    statements: ['DELETE FROM category_counts WHERE category_id = 9007199254740993'],
    faults: [
      'category_counts has 0 animals of category 9007199254740993 with the status unset, but there are 1',
    ],
  },
  'counts of a category without animals': {
    statements: [
      'INSERT INTO category_counts VALUES (123, 0, 0, 2, 0), (9223372036854775805, 1, 0, 0, 0), (5, 0, 0, 0, 0)',
    ],
    faults: [
      'category_counts has 2 animals of category 123 with the status sold, but there are 0',
      'category_counts has 1 animals of category 9223372036854775805 with the status available, but there are 0',
    ],
  },
};
