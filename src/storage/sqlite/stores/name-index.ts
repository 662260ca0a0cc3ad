import type { Database as Sqlite, Statement } from 'bun:sqlite';
import { foldText } from '../../../fold-text.ts';
import type { Sort } from '../../../http/contract/list-query.ts';
import type { Int64 } from '../../../int64.ts';
import { SQL_ORDERS } from '../../rows.ts';
import { ExactInsert } from '../statements/exact-insert.ts';
import { ExactQuery } from '../statements/exact-query.ts';

/** The characters of an entry of the index. */
const TRIGRAM = 3;

/** Whether the index can find a text. @param folded by `foldText`. */
export const isIndexable = (folded: string): boolean => [...folded].length >= TRIGRAM;

interface Candidate {
  readonly id: Int64;
  /** Null if the index has the name. */
  readonly name: string | null;
}

interface UnindexedPet {
  readonly id: Int64;
  readonly name: string;
}

/** The ids of animals whose names may contain a text. */
interface Candidates {
  readonly ids: readonly Int64[];
  /** The last id that was looked at. Undefined if there are no more candidates. */
  readonly last: Int64 | undefined;
}

/**
 * The trigrams of the names of animals. The index follows the animals: triggers list those that it lacks, and a search reads
 * both, so it always finds all.
 */
export class NameIndex {
  /** By the order. */
  readonly #candidates: Readonly<Record<Sort, ExactQuery<Candidate>>>;
  readonly #unindexed: ExactQuery<UnindexedPet>;
  readonly #count: Statement<{ count: number }, []>;
  readonly #insert: ExactInsert;
  readonly #remove: Statement<unknown, [string]>;

  constructor(connection: Sqlite) {
    const candidates = (sort: Sort) =>
      new ExactQuery<Candidate>(connection, candidatesSql(sort), ['id']);
    this.#candidates = { id: candidates('id'), '-id': candidates('-id') };
    this.#unindexed = new ExactQuery(
      connection,
      'SELECT id, name FROM unindexed_pets JOIN pets USING (id) ORDER BY id LIMIT ?',
      ['id'],
    );
    this.#count = connection.prepare('SELECT count(*) AS count FROM unindexed_pets');
    // Another program may have replaced an animal (REPLACE), which runs no trigger for its removal.
    this.#insert = new ExactInsert(connection, 'pet_names', ['rowid', 'folded_name'], 'REPLACE');
    this.#remove = connection.prepare(
      'DELETE FROM unindexed_pets WHERE id IN (SELECT value FROM json_each(?))',
    );
  }

  /**
   * Looks at the first `count` animals in an order that have all trigrams of a text, or are not in the index, and returns those
   * whose names may contain it.
   * @param folded by `foldText`, indexable.
   * @param start the first id of all that may be returned.
   */
  candidates(folded: string, sort: Sort, start: Int64, count: number): Candidates {
    const found = this.#candidates[sort].all(trigramQuery(folded), start, count);
    const mayContain = ({ name }: Candidate) => name === null || foldText(name).includes(folded);
    return {
      ids: found.filter(mayContain).map(({ id }) => id),
      last: found.length < count ? undefined : found.at(-1)?.id,
    };
  }

  /** The number of animals that are not in the index. */
  unindexed(): number {
    return this.#count.get()?.count ?? 0;
  }

  /** Adds the first `count` animals that are not in the index. Returns how many. For a transaction. */
  indexNext(count: number): number {
    const rows = this.#unindexed.all(count);
    this.#insert.insertAll(rows.map(({ id, name }) => [id, foldText(name)]));
    this.#remove.run(`[${rows.map(({ id }) => id).join()}]`);
    return rows.length;
  }
}

/** Each part of the union has its own LIMIT, so the first `count` of both are the first `count` of all. */
function candidatesSql(sort: Sort): string {
  const { isAfter, direction } = SQL_ORDERS[sort];
  const first = (id: string, name: string, from: string) =>
    `SELECT * FROM (SELECT ${id} AS id, ${name} AS name FROM ${from} AND ${id} ${isAfter}= ?2 ORDER BY ${id} ${direction} LIMIT ?3)`;
  return `SELECT id, name FROM (
    ${first('rowid', 'NULL', 'pet_names WHERE pet_names MATCH ?1')}
    UNION ALL
    ${first('unindexed_pets.id', 'pets.name', 'unindexed_pets CROSS JOIN pets USING (id) WHERE true')}
  ) ORDER BY id ${direction} LIMIT ?3`;
}

/** A query of FTS5 for the names with all trigrams of a text, in any order and place. */
function trigramQuery(folded: string): string {
  const characters = [...folded];
  const trigrams = new Set<string>();
  for (let end = TRIGRAM; end <= characters.length; end += 1) {
    trigrams.add(characters.slice(end - TRIGRAM, end).join(''));
  }
  return [...trigrams].map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
}
