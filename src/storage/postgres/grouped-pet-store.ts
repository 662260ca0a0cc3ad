import type { NewPet, Pet } from '../../pets/pet.ts';
import { StorageError } from '../database.ts';
import type { PetRow } from '../rows.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import { arrayOf } from './page-query.ts';
import { PostgresPetStore } from './pet-store.ts';
import type { Run, Transactions } from './transactions.ts';

interface Addition {
  readonly pet: NewPet;
  readonly deadline: Deadline;
  readonly resolve: (pet: Pet) => void;
  readonly reject: (reason: unknown) => void;
}

/** A batch is bounded so that no addition waits for very many others. */
const MAX_BATCH = 500;

/** So many batches are under way at once: while one is being written to disk, the next gathers. */
const AT_ONCE = 3;

const INSERT = `INSERT INTO animal_store.pets (name, category_id, status)
  SELECT name, category_id, status
  FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS added (name, category_id, status, place)
  ORDER BY place
  RETURNING id, name, category_id AS "categoryId", status`;

/**
 * Each change is a transaction of its own, but animals that are added at the same moment share
 * one: its two round trips and its wait for the disk are the dearest part of an addition.
 */
export class GroupedPetStore extends PostgresPetStore {
  readonly #transactions: Transactions;
  #waiting: Addition[] = [];
  #underWay = 0;
  #onIdle: (() => void) | undefined;

  constructor(transactions: Transactions) {
    super((text, values) => transactions.run((run) => run(text, values), false), '');
    this.#transactions = transactions;
  }

  override create(pet: NewPet): Promise<Pet> {
    return new Promise((resolve, reject) => {
      const deadline = deadlineIn(this.#transactions.timeoutMs);
      this.#waiting.push({ pet, deadline, resolve, reject });
      this.#addNext();
    });
  }

  /** Resolves when no addition waits any more. */
  async drain(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #addNext(): void {
    if (this.#waiting.length === 0) {
      if (this.#underWay === 0) this.#onIdle?.();
      return;
    }
    if (this.#underWay >= AT_ONCE) return;
    this.#underWay += 1;
    // What arrives in the same turn of the event loop takes part.
    setImmediate(async () => {
      await this.#addAll(this.#waiting.splice(0, MAX_BATCH));
      this.#underWay -= 1;
      this.#addNext();
    });
  }

  /** Settles each addition, and never fails. */
  async #addAll(batch: readonly Addition[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    try {
      const pets = batch.map(({ pet }) => pet);
      const work = (run: Run) => insertAll(run, pets);
      const added = await this.#transactions.run(work, false, first.deadline);
      for (const [place, { resolve }] of batch.entries()) resolve(added[place] as Pet);
    } catch (error) {
      // Something is wrong with one of them, and nothing was done: the others must not suffer for it.
      if (batch.length > 1 && !(error instanceof StorageError)) {
        await Promise.all(batch.map((addition) => this.#addAll([addition])));
      } else for (const { reject } of batch) reject(error);
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
      throw new Error('The animals that were added came back in another order.');
    }
    return { id: row.id, ...pet };
  });
}
