import { foldText } from '../../../fold-text.ts';
import { type Names, wrongFold } from '../../folded-names.ts';
import type { Fault } from '../../maintenance.ts';
import { arrayOf } from '../statements/arrays.ts';
import type { LongTransaction } from '../transactions/long-transaction.ts';

/** The animals whose folded name is not that of their name, in batches. */
async function* wrongNames(transaction: LongTransaction): AsyncGenerator<Names[]> {
  const rows = transaction.stream<Names>(
    'SELECT id, name, folded_name AS folded FROM animal_store.pets ORDER BY id',
  );
  for await (const batch of rows)
    yield batch.filter(({ name, folded }) => foldText(name) !== folded);
}

async function allWrongNames(transaction: LongTransaction): Promise<Names[]> {
  const wrong: Names[] = [];
  for await (const batch of wrongNames(transaction)) wrong.push(...batch);
  return wrong;
}

export const nameFaults = async (transaction: LongTransaction): Promise<Fault[]> =>
  wrongFold((await allWrongNames(transaction)).map(({ id }) => id));

/** Only an animal that still has the name: a change in between has folded the new one. */
const FOLD = `UPDATE animal_store.pets SET folded_name = wrong.folded
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS wrong (id, name, folded)
  WHERE pets.id = wrong.id AND pets.name = wrong.name`;

/** Folds the names again whose folded name is wrong. */
export async function foldAgain(transaction: LongTransaction): Promise<void> {
  const wrong = await allWrongNames(transaction);
  if (wrong.length === 0) return;
  await transaction.run(FOLD, [
    arrayOf(wrong.map(({ id }) => id)),
    arrayOf(wrong.map(({ name }) => name)),
    arrayOf(wrong.map(({ name }) => foldText(name))),
  ]);
}
