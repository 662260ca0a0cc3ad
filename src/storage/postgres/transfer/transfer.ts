import type { Cause } from '../../../events/cause.ts';
import { type Int64, int64FromBigInt } from '../../../int64.ts';
import type { Pet } from '../../../pets/pet.ts';
import type { CatalogueSource, CatalogueWriter } from '../../../transfer/catalogue-copy.ts';
import type {
  CatalogueTransfer,
  ImportedPet,
  PetImport,
} from '../../../transfer/catalogue-transfer.ts';
import { addedInBetween, assignedBefore, occursTwice } from '../../import-refusals.ts';
import { insertionOf } from '../../insertion.ts';
import { importEventOf } from '../../recording.ts';
import {
  fieldsOf,
  insertedFieldsOf,
  type Row,
  resourceOf,
  selectListOf,
  valuesOf,
} from '../../rows.ts';
import { type ColumnType, PETS } from '../../tables.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { arraysOf, TYPES, unnest } from '../statements/arrays.ts';
import { appendToOutbox } from '../stores/outbox.ts';
import { LongTransaction } from '../transactions/long-transaction.ts';
import { openSource, openWriter } from './copy.ts';

const FIELDS = fieldsOf(PETS);
const INSERTION = insertionOf(PETS, FIELDS);
const COLUMNS = INSERTION.columns.join(', ');
const COLUMNS_WITHOUT_ID = insertionOf(PETS, insertedFieldsOf(PETS)).columns.join(', ');
const cellsOf = valuesOf(PETS, FIELDS);
const toPet = resourceOf<Pet>(PETS);

/** The columns of the staging table. A row has an id only if the import keeps it. */
const STAGED_COLUMNS = INSERTION.columns.map(
  (column, index) =>
    `${column} ${TYPES[INSERTION.types[index] as ColumnType]} ${column === 'id' ? 'UNIQUE' : ''}`,
);

/** The animals of an import. */
interface Added {
  readonly count: number;
  readonly firstId: Int64;
  readonly lastId: Int64;
}

/** Each transfer has its own connection, so that it takes none from the pools. */
export class PostgresTransfer implements CatalogueTransfer {
  constructor(readonly options: ConnectionOptions) {}

  beginImport(cause: Cause): Promise<PetImport> {
    return LongTransaction.begin(this.options, 'READ COMMITTED', async (transaction) => {
      await transaction.run(
        `CREATE TEMPORARY TABLE staged (position bigint PRIMARY KEY, ${STAGED_COLUMNS.join(', ')})
        ON COMMIT DROP`,
      );
      return new PostgresPetImport(transaction, await highestId(transaction), cause);
    });
  }

  async *exportPets(): AsyncGenerator<Pet[]> {
    const transaction = await LongTransaction.begin(
      this.options,
      'REPEATABLE READ READ ONLY',
      async (begun) => begun,
    );
    try {
      const select = `SELECT ${selectListOf(PETS)} FROM animal_store.pets ORDER BY id`;
      for await (const rows of transaction.stream<Row>(select)) yield rows.map(toPet);
    } finally {
      transaction.end();
    }
  }

  openSource(): Promise<CatalogueSource> {
    return openSource(this.options);
  }

  openWriter(): Promise<CatalogueWriter> {
    return openWriter(this.options);
  }
}

/** The highest id ever assigned to an animal, 0 if none was. */
async function highestId(transaction: LongTransaction): Promise<Int64> {
  const [row] = await transaction.run<{ highest: Int64 }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS highest FROM animal_store.pets_id_seq',
  );
  return row?.highest ?? 0;
}

/** Stages rows in a temporary table of this transaction, and copies them to the catalogue by one statement. */
class PostgresPetImport implements PetImport {
  #rows = 0;
  #hasIds = false;

  constructor(
    readonly transaction: LongTransaction,
    readonly highestId: Int64,
    readonly cause: Cause,
  ) {}

  async add(pets: readonly ImportedPet[]): Promise<ReadonlyMap<number, string>> {
    const refused = new Map<number, string>();
    const staged = pets.flatMap((pet, index) => {
      if (pet.id === undefined || pet.id > this.highestId) return [{ pet, index }];
      refused.set(index, assignedBefore(pet.id, this.highestId));
      return [];
    });
    if (staged.length === 0) return refused;
    const rows = staged.map(({ pet, index }) => [
      this.#rows + index,
      ...INSERTION.complete(cellsOf(pet)),
    ]);
    const types = ['integer', ...INSERTION.types] as const;
    const inserted = await this.transaction.run<{ position: number }>(
      `INSERT INTO staged (position, ${COLUMNS}) SELECT * FROM ${unnest(types)}
      ON CONFLICT (id) DO NOTHING RETURNING position`,
      arraysOf(rows, types.length),
    );
    if (inserted.length < staged.length) {
      const positions = new Set(inserted.map(({ position }) => position));
      for (const { pet, index } of staged) {
        if (!positions.has(this.#rows + index)) {
          refused.set(index, occursTwice(pet.id as Int64));
        }
      }
    }
    this.#rows += pets.length;
    this.#hasIds ||= staged.some(({ pet }) => pet.id !== undefined);
    return refused;
  }

  async commit(): Promise<number> {
    const { transaction } = this;
    try {
      const added = await (this.#hasIds ? this.#insertPetsWithIds() : this.#insertPets());
      const event = importEventOf('pets', added, this.cause);
      if (event) await appendToOutbox(transaction.run, [event]);
      await transaction.commitMany();
      return added.count;
    } finally {
      this.abandon();
    }
  }

  abandon(): void {
    this.transaction.end();
  }

  /** Other transactions may add animals at the same time, so the range can contain some of theirs. */
  async #insertPets(): Promise<Added> {
    const before = BigInt(await highestId(this.transaction));
    const { count } = await this.transaction.run(
      `INSERT INTO animal_store.pets (${COLUMNS_WITHOUT_ID})
      SELECT ${COLUMNS_WITHOUT_ID} FROM staged ORDER BY position`,
    );
    const firstId = int64FromBigInt(before + 1n) ?? before;
    return { count, firstId, lastId: await highestId(this.transaction) };
  }

  /** The lock blocks other additions, so that no id is assigned between the check and the insert. */
  async #insertPetsWithIds(): Promise<Added> {
    await this.transaction.run('LOCK TABLE animal_store.pets IN SHARE ROW EXCLUSIVE MODE');
    if ((await highestId(this.transaction)) !== this.highestId) {
      throw addedInBetween();
    }
    await this.transaction.run(
      `INSERT INTO animal_store.pets (${COLUMNS}) SELECT ${COLUMNS} FROM staged ORDER BY position`,
    );
    const [added] = await this.transaction.run<Added>(
      `SELECT count(*) AS count, min(id) AS "firstId", max(id) AS "lastId",
        setval('animal_store.pets_id_seq', max(id)) FROM staged`,
    );
    if (added === undefined) throw new Error('The range of ids has no row.');
    return added;
  }
}
