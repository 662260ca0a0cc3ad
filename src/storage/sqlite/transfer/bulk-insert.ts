import type { Database as Sqlite } from 'bun:sqlite';
import { COUNTED } from '../../category-counts.ts';

/**
 * Runs `insertAll`, which adds animals, without what SQLite does for each of them: the triggers, and, if most
 * animals are new, its entries in the indexes. Does that for all of them afterwards, which is faster. For a transaction:
 * nobody else sees the table without its triggers and indexes.
 * @param added how many animals are added.
 */
export function inBulk<T>(connection: Sqlite, added: number, insertAll: () => T): T {
  const { stored = 0 } = connection.query<{ stored: number }, []>(STORED).get() ?? {};
  // An index is built from all animals, also from those that it contained before.
  const isMost = added > stored;
  const types = isMost ? ['trigger', 'index'] : ['trigger'];
  const definitions = definitionsOf(connection).filter(({ type }) => types.includes(type));
  // Also indexes of other programs, which may have any name.
  for (const { type, name } of definitions)
    connection.run(`DROP ${type} "${name.replaceAll('"', '""')}"`);
  const { highestId } = connection
    .query<{ highestId: bigint }, []>(HIGHEST_ID)
    .safeIntegers(true)
    .get() ?? { highestId: 0n };
  const result = insertAll();
  for (const { sql } of definitions) connection.run(sql);
  connection.run(countInCategories(isMost), [highestId]);
  return result;
}

/** The number of animals, without a look at each of them. */
const STORED =
  'SELECT coalesce(sum(available + pending + sold + unset), 0) AS stored FROM category_counts';

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** New animals have higher ids than all before. */
const HIGHEST_ID = 'SELECT coalesce(max(id), 0) AS "highestId" FROM pets';

/**
 * Adds the counts of the animals with higher ids. For most of the animals, it reads an index in the order of categories.
 * Otherwise the planner would also read that index, of all animals.
 */
const countInCategories = (isMost: boolean): string => `INSERT INTO category_counts
  SELECT category_id, ${COUNTED} FROM pets ${isMost ? '' : 'NOT INDEXED'} WHERE id > ? GROUP BY category_id
  ON CONFLICT (category_id) DO UPDATE SET
    available = available + excluded.available, pending = pending + excluded.pending,
    sold = sold + excluded.sold, unset = unset + excluded.unset`;

/** The triggers for additions, and all indexes. */
const definitionsOf = (connection: Sqlite): Definition[] =>
  connection
    .query<Definition, []>(
      `SELECT type, name, sql FROM sqlite_schema
      WHERE tbl_name = 'pets' AND sql IS NOT NULL
        AND (type = 'index' OR name = 'count_added_pet')`,
    )
    .all();
