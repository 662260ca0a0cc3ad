import { monotonicMs } from '../../../clock.ts';
import type { OnBatch } from '../../../observe/measurements.ts';
import type { Pet } from '../../../pets/pet.ts';
import { batchWindow } from '../../batch-window.ts';
import { StorageError } from '../../database.ts';
import { type PetAddition, StoredPets } from '../../stores/pet-store.ts';
import { type Deadline, deadlineIn } from '../connections/deadline.ts';
import { PostgresSql } from '../statements/postgres-sql.ts';
import type { Run, Transactions } from '../transactions/transactions.ts';

interface Addition extends PetAddition {
  readonly deadline: Deadline;
  readonly resolve: (pet: Pet) => void;
  readonly reject: (reason: unknown) => void;
}

/** Limits how long an addition waits for the others of its batch. */
const MAX_BATCH_SIZE = 500;

/** A batch has the deadline of its first addition. The deadlines of the others are at most this much later. */
const MAX_DEADLINE_SPREAD_MS = 100;

/**
 * Adds animals. Simultaneous additions share one transaction: its two round trips and its wait for
 * the disk are the most expensive part of an addition. While one batch runs, the next one fills.
 */
export class BatchedPetAdder {
  readonly #pending: Addition[] = [];
  #running: Promise<void> | undefined;

  /** @param onBatch receives each batch after COMMIT. */
  constructor(
    readonly transactions: Transactions,
    readonly onBatch?: OnBatch,
  ) {}

  create(addition: PetAddition): Promise<Pet> {
    return new Promise((resolve, reject) => {
      const deadline = deadlineIn(this.transactions.timeoutMs);
      this.#pending.push({ ...addition, deadline, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all accepted additions are settled. */
  async drain(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#pending.length > 0) {
      await batchWindow(this.#pending, MAX_BATCH_SIZE);
      await this.#add(this.#nextBatch());
    }
    this.#running = undefined;
  }

  #nextBatch(): readonly Addition[] {
    const latest = (this.#pending[0]?.deadline ?? 0) + MAX_DEADLINE_SPREAD_MS;
    const end = this.#pending.findIndex(({ deadline }) => deadline > latest);
    return this.#pending.splice(0, Math.min(end === -1 ? MAX_BATCH_SIZE : end, MAX_BATCH_SIZE));
  }

  /** Settles each addition. Never rejects. */
  async #add(batch: readonly Addition[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    const startedMs = this.onBatch && monotonicMs();
    try {
      const work = (run: Run) => new StoredPets(new PostgresSql(run)).createFor(batch);
      const added = await this.transactions.run(work, false, first.deadline);
      if (startedMs !== undefined) {
        this.onBatch?.(batch.length, (monotonicMs() - startedMs) / 1000);
      }
      for (const [index, { resolve }] of batch.entries()) resolve(added[index] as Pet);
    } catch (error) {
      // A StorageError concerns the whole batch, and may follow a commit. Any other error was caused by one
      // addition and rolled back the batch: the others are then added one by one.
      if (batch.length === 1 || error instanceof StorageError) {
        for (const { reject } of batch) reject(error);
      } else {
        for (const addition of batch) await this.#add([addition]);
      }
    }
  }
}
