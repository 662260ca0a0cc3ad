import type { Int64 } from '../../int64.ts';
import type { MaybePromise } from '../../maybe-promise.ts';
import type { Pet } from '../../pets/pet.ts';
import { int64FieldsOf, type Row, resourceOf, selectListOf } from '../rows.ts';
import { type Sql, Statement } from '../sql.ts';
import { PETS } from '../tables.ts';

const BATCH_SIZE = 1_000;

const NEXT = new Statement<Row>(
  ({ table }) =>
    `SELECT ${selectListOf(PETS)} FROM ${table('pets')} WHERE id > $1 ORDER BY id LIMIT ${BATCH_SIZE}`,
  int64FieldsOf(PETS),
);
const toPet = resourceOf<Pet>(PETS);

/** Reads one snapshot of the catalogue. */
export interface Snapshot {
  readonly sql: Sql;
  close(): void;
}

/** All animals, ascending by id, in batches. */
export async function* exportPets(open: () => MaybePromise<Snapshot>): AsyncGenerator<Pet[]> {
  const { sql, close } = await open();
  try {
    for (let afterId: Int64 = 0; ; ) {
      const pets: Pet[] = (await sql.read(NEXT, afterId)).map(toPet);
      const last = pets.at(-1);
      if (last === undefined) return;
      afterId = last.id;
      yield pets;
    }
  } finally {
    close();
  }
}
