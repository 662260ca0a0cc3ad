import type { Database as Sqlite } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { Int64 } from '../../../int64.ts';
import type { Fault } from '../../maintenance.ts';
import { ExactQuery } from '../statements/exact-query.ts';

const names = (message: string): Fault => ({ kind: 'names', message });

interface NameRow {
  readonly id: Int64;
  readonly name: string;
  readonly isIndexed: 0 | 1;
  readonly isListed: 0 | 1;
  readonly folded: unknown;
}

/** The number of animals that are read at once. */
const SLICE = 10_000;

/** Reads the texts where FTS5 stores them. FTS5 itself would take twice as long. */
const SELECT_NAMES = `SELECT pets.id, pets.name, entries.c0 AS folded,
    entries.id IS NOT NULL AS "isIndexed", listed.id IS NOT NULL AS "isListed"
  FROM pets LEFT JOIN pet_names_content AS entries ON entries.id = pets.id
    LEFT JOIN unindexed_pets AS listed ON listed.id = pets.id
  WHERE pets.id > ? ORDER BY pets.id LIMIT ?`;

/** How an animal contradicts the index. */
type Contradiction = 'lacks' | 'lists' | 'differs';

const SENTENCES: Readonly<Record<Contradiction, (animals: string) => string>> = {
  lacks: (animals) => `the index of names lacks ${animals}`,
  lists: (animals) => `unindexed_pets lists ${animals} of the index of names`,
  differs: (animals) => `the index of names has another name for ${animals}`,
};

/** The differences between the animals and the index of their names, one line for each kind. */
export function* nameFaults(connection: Sqlite): Generator<Fault> {
  const found = new Map<Contradiction, Ids>();
  for (const row of readNames(connection)) {
    const contradiction = contradictionOf(row);
    if (contradiction === undefined) continue;
    const { count, first } = found.get(contradiction) ?? { count: 0, first: row.id };
    found.set(contradiction, { count: count + 1, first });
  }
  for (const [contradiction, ids] of found)
    yield names(SENTENCES[contradiction](describe(ids, 'animal')));
  for (const [table, subject] of [
    ['pet_names_content', 'the index of names has'],
    ['unindexed_pets', 'unindexed_pets has'],
  ] as const) {
    const { count, first } = readOrphans(connection, table);
    if (first !== null) yield names(`${subject} ${describe({ count, first }, 'id')} of no animal`);
  }
}

function* readNames(connection: Sqlite): Generator<NameRow> {
  const query = new ExactQuery<NameRow>(connection, SELECT_NAMES, ['id']);
  let afterId: Int64 = -(2n ** 63n);
  for (;;) {
    const rows = query.all(afterId, SLICE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

/** `isIndexed` and `isListed` are plain numbers or bigints. */
function contradictionOf({ id, name, folded, ...row }: NameRow): Contradiction | undefined {
  const [isIndexed, isListed] = [Boolean(row.isIndexed), Boolean(row.isListed)];
  if (!isIndexed) return isListed ? undefined : 'lacks';
  if (isListed) return 'lists';
  return folded === foldText(name) ? undefined : 'differs';
}

interface Ids {
  readonly count: number;
  readonly first: Int64;
}

const describe = ({ count, first }: Ids, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'} (the first is ${first})`;

/** The ids of a table that no animal has. */
function readOrphans(connection: Sqlite, table: string) {
  const sql = `SELECT count(*) AS count, min(id) AS first FROM ${table}
    WHERE NOT EXISTS (SELECT 1 FROM pets WHERE pets.id = ${table}.id)`;
  const query = new ExactQuery<{ count: number; first: Int64 | null }>(connection, sql, ['first']);
  return query.get() ?? { count: 0, first: null };
}

/** The animals that are not in the index. */
export const countUnindexed = (connection: Sqlite): number =>
  connection.query<{ count: number }, []>('SELECT count(*) AS count FROM unindexed_pets').get()
    ?.count ?? 0;

/** As `Maintenance.rebuildNames`. Needs no part of the old index to be sound. */
export function rebuildNames(connection: Sqlite): void {
  const rebuild = connection.transaction(() => {
    const table = connection
      .query<{ sql: string }, []>("SELECT sql FROM sqlite_schema WHERE name = 'pet_names'")
      .get();
    if (table === null) return; // An older schema has no index.
    connection.run('DROP TABLE pet_names');
    connection.run(table.sql);
    connection.run('DELETE FROM unindexed_pets');
    connection.run('INSERT INTO unindexed_pets SELECT id FROM pets');
  });
  rebuild.immediate();
}
