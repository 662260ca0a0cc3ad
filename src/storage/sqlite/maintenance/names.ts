import type { Database as Sqlite } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { Int64 } from '../../../int64.ts';
import { type Names, wrongFold } from '../../folded-names.ts';
import type { Fault } from '../../maintenance.ts';
import { ExactQuery } from '../statements/exact-query.ts';

/** The number of animals that are read at once. */
const SLICE = 10_000;

/** Animals whose folded name is not that of their name, in batches. */
function* wrongNames(connection: Sqlite): Generator<Names[]> {
  const query = new ExactQuery<Names>(
    connection,
    'SELECT id, name, folded_name AS folded FROM pets WHERE id > ? ORDER BY id LIMIT ?',
    ['id'],
  );
  let afterId: Int64 = -(2n ** 63n);
  for (;;) {
    const rows = query.all(afterId, SLICE);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.filter(({ name, folded }) => foldText(name) !== folded);
    afterId = last.id;
  }
}

export function* nameFaults(connection: Sqlite): Generator<Fault> {
  const wrong: Int64[] = [];
  for (const batch of wrongNames(connection)) wrong.push(...batch.map(({ id }) => id));
  yield* wrongFold(wrong);
}

/** Folds the names again whose folded name is wrong. For a transaction. */
export function foldAgain(connection: Sqlite): void {
  const update = connection.prepare('UPDATE pets SET folded_name = ? WHERE id = ?');
  for (const batch of wrongNames(connection))
    for (const { id, name } of batch) update.run(foldText(name), id);
}
