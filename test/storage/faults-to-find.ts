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
  'an open order without its animal': {
    statements: ['DELETE FROM pets WHERE id = 2'],
    faults: ['order 2 is approved, but its animal 2 does not exist'],
  },
  'an order for an id that was never assigned': {
    statements: ['UPDATE orders SET pet_id = 4000000000000000000 WHERE id = 3'],
    faults: ['order 3 is for animal 4000000000000000000, an id that was never assigned'],
  },
  'times beyond the calendar': {
    statements: [
      'UPDATE orders SET created_at = 9223372036854775807 WHERE id = 4',
      'UPDATE api_keys SET expires_at = -9223372036854775807 WHERE id = 1',
      'UPDATE events SET at = 9223372036854775807 WHERE id = 1',
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
    ],
    faults: [
      'order 2 is approved, but has the time of an end',
      'order 4 is cancelled, but the time of its end is missing',
      'order 1 is placed, but never expires',
      'row 5 of orders contains an impossible time',
    ],
  },
  'a feed without its generation': {
    statements: ['DELETE FROM event_feed'],
    faults: ['event_feed has 0 rows, not one'],
  },
  'wrong counts': {
    statements: ['UPDATE pet_counts SET sold = sold + 2, unset = unset - 1'],
    faults: [
      'pet_counts has 3 animals with the status sold, but there are 1',
      'pet_counts has 33 animals with the status unset, but there are 34',
    ],
  },
  'wrong numbers of a category': {
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
