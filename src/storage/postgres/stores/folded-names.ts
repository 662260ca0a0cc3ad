import { monotonicMs } from '../../../clock.ts';
import { foldText } from '../../../fold-text.ts';
import { INT64_MIN, type Int64 } from '../../../int64.ts';
import type { IndexedNames } from '../../database.ts';
import { arrayOf } from '../statements/arrays.ts';
import { searchObstacle } from '../statements/trigram-index.ts';
import type { Run, Transactions } from '../transactions/transactions.ts';

/** In the order of the index: a scan in this order also marks its dead entries, so that the next one is faster. */
const COUNT = `SELECT count(*) AS count FROM (
    SELECT FROM animal_store.pets WHERE folded_name IS NULL ORDER BY id LIMIT 1000000000
  ) AS unfolded`;

/** Waits for nobody: another instance may fold the same names, and a request may change an animal. */
const LOCK_NEXT = `SELECT id, name FROM animal_store.pets WHERE folded_name IS NULL AND id > $1
  ORDER BY id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`;

const FOLD = `UPDATE animal_store.pets SET folded_name = folded.name
  FROM unnest($1::bigint[], $2::text[]) AS folded (id, name) WHERE pets.id = folded.id`;

/** A count that takes longer is used again, so that counting takes a twentieth of the time at most. */
const LONG_MS = 20;
const REUSE = 20;

/** The folded names of animals, which the index of trigrams contains. */
export class FoldedNames implements IndexedNames {
  readonly #read: Run;
  readonly #transactions: Transactions;
  #count = 0;
  #countedUntilMs = 0;
  /** Names up to here were folded last. The index still has their entries while a transaction may see the old rows. */
  #foldedUntil: Int64 = INT64_MIN;

  /** @param read reads from the primary. */
  constructor(read: Run, transactions: Transactions) {
    this.#read = read;
    this.#transactions = transactions;
  }

  obstacle(): Promise<string | undefined> {
    return searchObstacle(this.#read);
  }

  async unindexed(): Promise<number> {
    const startMs = monotonicMs();
    if (startMs < this.#countedUntilMs) return this.#count;
    const [row] = await this.#read<{ count: number }>(COUNT);
    this.#count = row?.count ?? 0;
    const endMs = monotonicMs();
    const tookMs = endMs - startMs;
    this.#countedUntilMs = tookMs < LONG_MS ? 0 : endMs + REUSE * tookMs;
    return this.#count;
  }

  async indexNext(count: number): Promise<number> {
    const start = this.#foldedUntil;
    const folded = await this.#transactions.run((run) => foldNext(run, start, count), true);
    this.#foldedUntil = folded.length < count ? INT64_MIN : (folded.at(-1) ?? INT64_MIN);
    this.#count -= folded.length;
    if (this.#count <= 0) this.#countedUntilMs = 0;
    // Others may have been added or renamed before the start.
    return folded.length > 0 || start === INT64_MIN ? folded.length : this.indexNext(count);
  }
}

/** Folds the next names that nobody locks. Resolves with their ids. */
async function foldNext(run: Run, afterId: Int64, count: number): Promise<Int64[]> {
  const rows = await run<{ id: Int64; name: string }>(LOCK_NEXT, [afterId, count]);
  const ids = rows.map(({ id }) => id);
  if (rows.length > 0)
    await run(FOLD, [arrayOf(ids), arrayOf(rows.map(({ name }) => foldText(name)))]);
  return ids;
}
