import { foldText } from '../../../fold-text.ts';
import type { Int64 } from '../../../int64.ts';
import type { Fault } from '../../maintenance.ts';
import { Connection, type Value } from '../connections/connection.ts';
import { deadlineIn } from '../connections/deadline.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { toStorageError } from '../failures.ts';
import { arrayOf } from '../statements/arrays.ts';
import {
  createTrigramIndex,
  readTrigramIndex,
  TRIGRAM_INDEX,
} from '../statements/trigram-index.ts';
import { LongTransaction } from '../transactions/long-transaction.ts';

/** The time for an index of all names: ten seconds for a million on a slow machine. */
const TIMEOUT_MS = 60 * 60_000;

/** The number of animals that one transaction changes. Others wait for it. */
const BATCH = 1_000;

/** What is wrong with the folded names and their index. The schema must have them. */
export async function nameFaults(transaction: LongTransaction): Promise<Fault[]> {
  const faults: Fault[] = [];
  const fault = (message: string) => faults.push({ kind: 'names', message });
  const { schema, state } = await readTrigramIndex((text) => transaction.run(text));
  if (schema !== null && state !== 'valid') fault(`the index ${TRIGRAM_INDEX} is ${state}`);
  let count = 0;
  let first: Int64 | undefined;
  for await (const ids of wrongNames(transaction)) {
    count += ids.length;
    first ??= ids[0];
  }
  if (first !== undefined) {
    const animals = count === 1 ? 'animal' : 'animals';
    fault(`the index of names has another name for ${count} ${animals} (the first is ${first})`);
  }
  return faults;
}

/** The ids of the animals whose folded name is not that of their name, in batches. */
async function* wrongNames(transaction: LongTransaction): AsyncGenerator<Int64[]> {
  const rows = transaction.stream<{ id: Int64; name: string; folded: string }>(
    'SELECT id, name, folded_name AS folded FROM animal_store.pets WHERE folded_name IS NOT NULL ORDER BY id',
  );
  for await (const batch of rows)
    yield batch.filter(({ name, folded }) => foldText(name) !== folded).map(({ id }) => id);
}

/** The animals that are not in the index. */
export async function countUnfolded(transaction: LongTransaction): Promise<number> {
  const [row] = await transaction.run<{ count: number }>(
    'SELECT count(*) AS count FROM animal_store.pets WHERE folded_name IS NULL',
  );
  return row?.count ?? 0;
}

/** As `Maintenance.rebuildNames`. The service folds the names that were wrong. Changes go on during that time. */
export async function rebuildNames(options: ConnectionOptions): Promise<void> {
  const connection = new Connection(options);
  const run = <Row>(text: string, values: readonly Value[] = []) =>
    connection.query<Row>(text, values, deadlineIn(TIMEOUT_MS));
  try {
    const wrong = await readWrongNames(options);
    for (let start = 0; start < wrong.length; start += BATCH) {
      // Perhaps they are right by now. Then they are folded once more.
      await run('UPDATE animal_store.pets SET folded_name = NULL WHERE id = ANY($1::bigint[])', [
        arrayOf(wrong.slice(start, start + BATCH)),
      ]);
    }
    const { schema, state } = await readTrigramIndex(run);
    if (schema === null || state === 'valid') return;
    // An interrupted creation leaves an invalid index. This waits for one in progress.
    if (state === 'invalid')
      await run(`DROP INDEX CONCURRENTLY IF EXISTS animal_store.${TRIGRAM_INDEX}`);
    await run(createTrigramIndex(schema));
  } catch (error) {
    throw toStorageError(error);
  } finally {
    connection.destroy();
  }
}

const readWrongNames = (options: ConnectionOptions): Promise<Int64[]> =>
  LongTransaction.begin(options, 'REPEATABLE READ READ ONLY', async (transaction) => {
    const wrong: Int64[] = [];
    for await (const ids of wrongNames(transaction)) wrong.push(...ids);
    transaction.end();
    return wrong;
  });
