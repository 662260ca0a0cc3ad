import type { NewPet, Pet } from '../../../pets/pet.ts';
import type { PetAdder } from '../../../pets/pet-store.ts';
import { batchWindow } from '../../batch-window.ts';
import { StorageError } from '../../database.ts';
import type { PetRow } from '../../rows.ts';
import { type Deadline, deadlineIn } from '../connections/deadline.ts';
import { arrayOf } from '../statements/page-query.ts';
import type { Run, Transactions } from '../transactions/transactions.ts';

interface Addition {
  readonly pet: NewPet;
  readonly deadline: Deadline;
  readonly resolve: (pet: Pet) => void;
  readonly reject: (reason: unknown) => void;
}

/** A batch is bounded so that no addition waits for very many others. */
const MAX_BATCH = 500;

/** A batch ends with the deadline of its first: the others of it would have so much longer at most. */
const MAX_SPREAD_MS = 100;

const INSERT = `INSERT INTO animal_store.pets (name, category_id, status)
  SELECT name, category_id, status
  FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS added (name, category_id, status, place)
  ORDER BY place
  RETURNING id, name, category_id AS "categoryId", status`;

/**
 * Adds animals. Those that are added at the same moment share one transaction: its two round trips
 * and its wait for the disk are the most expensive part of an addition. While a batch is under way,
 * the next gathers.
 */
export class GroupedPetAdder implements PetAdder {
  readonly #transactions: Transactions;
  readonly #waiting: Addition[] = [];
  #adding: Promise<void> | undefined;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  create(pet: NewPet): Promise<Pet> {
    return new Promise((resolve, reject) => {
      const deadline = deadlineIn(this.#transactions.timeoutMs);
      this.#waiting.push({ pet, deadline, resolve, reject });
      this.#adding ??= this.#addWaiting();
    });
  }

  /** Resolves when no addition waits any more. */
  async drain(): Promise<void> {
    await this.#adding;
  }

  async #addWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await batchWindow(this.#waiting, MAX_BATCH);
      await this.#add(this.#nextBatch());
    }
    this.#adding = undefined;
  }

  #nextBatch(): readonly Addition[] {
    const latest = (this.#waiting[0]?.deadline ?? 0) + MAX_SPREAD_MS;
    const end = this.#waiting.findIndex(({ deadline }) => deadline > latest);
    return this.#waiting.splice(0, Math.min(end === -1 ? MAX_BATCH : end, MAX_BATCH));
  }

  /** Settles each addition, and never fails. */
  async #add(batch: readonly Addition[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    try {
      const pets = batch.map(({ pet }) => pet);
      const work = (run: Run) => insertAll(run, pets);
      const added = await this.#transactions.run(work, false, first.deadline);
      for (const [place, { resolve }] of batch.entries()) resolve(added[place] as Pet);
    } catch (error) {
      // A failure of the storage is everybody's, and may have come after the commit. Any other is
      // about one of them, and nothing was done: the rest must not suffer for it.
      if (batch.length === 1 || error instanceof StorageError) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const addition of batch) await this.#add([addition]);
      }
    }
  }
}

async function insertAll(run: Run, pets: readonly NewPet[]): Promise<Pet[]> {
  const rows = await run<PetRow>(INSERT, [
    arrayOf(pets.map(({ name }) => name)),
    arrayOf(pets.map(({ categoryId }) => categoryId)),
    arrayOf(pets.map(({ status }) => status ?? null)),
  ]);
  return pets.map((pet, place) => {
    const row = rows[place];
    // The server inserts and answers in the order asked for. An id told to the wrong client could never be mended.
    if (
      row?.name !== pet.name ||
      row.categoryId !== pet.categoryId ||
      row.status !== (pet.status ?? null)
    ) {
      throw new Error('The animals that were added came back changed, or in another order.');
    }
    return { id: row.id, ...pet };
  });
}
