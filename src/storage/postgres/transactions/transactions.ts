import type { MaybePromise } from '../../../maybe-promise.ts';
import { StorageError } from '../../database.ts';
import type { Connection, Rows, Value } from '../connections/connection.ts';
import {
  type Deadline,
  deadlineIn,
  remainingMs,
  serverTimeoutMs,
} from '../connections/deadline.ts';
import type { ExclusivePool } from '../connections/pools.ts';
import { pauseBeforeRetry } from '../connections/retry.ts';
import { isConflict, isLost, toStorageError } from '../failures.ts';

/** Runs one statement. */
export type Run = <Row>(text: string, values?: readonly Value[]) => Promise<Rows<Row>>;

/** What a store's look at one row does to it: within a transaction others have to wait to change it. */
export type Locking = 'FOR UPDATE' | '';

/**
 * Each statement sees what was committed before it. What a transaction reads in order to change it,
 * it locks (`FOR UPDATE`); what must never be is guarded by UNIQUE and CHECK besides.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * Who waited for a connection has less time left than the server gives to every statement. What
 * we give up the server would go on with: waiting for a lock, besides the connection that replaces it.
 */
function beginBefore(deadline: Deadline, timeoutMs: number): string {
  const leftMs = remainingMs(deadline);
  return leftMs > serverTimeoutMs(timeoutMs)
    ? BEGIN
    : `${BEGIN}; SET LOCAL statement_timeout = ${serverTimeoutMs(leftMs)}`;
}

/** How often work is run again because another transaction was first. */
const MAX_CONFLICTS = 5;

/** The connection was lost while it committed: the work may have been done, or not. */
class CommitUnknown extends StorageError {
  constructor(cause: unknown) {
    super('unavailable', 'The connection to the database was lost during a commit.', { cause });
  }
}

/** Runs work in transactions, again and again while that is safe and there is time. */
export class Transactions {
  constructor(
    readonly pool: ExclusivePool,
    readonly timeoutMs: number,
  ) {}

  /** @throws StorageError, or what `work` throws. */
  async run<T>(
    work: (run: Run) => MaybePromise<T>,
    isRepeatable: boolean,
    deadline = deadlineIn(this.timeoutMs),
  ): Promise<T> {
    let conflicts = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, deadline);
      } catch (error) {
        if (isConflict(error)) conflicts += 1;
        const mayRepeat = isConflict(error)
          ? conflicts <= MAX_CONFLICTS
          : isLost(error) || (error instanceof CommitUnknown && isRepeatable);
        if (!mayRepeat || !(await pauseBeforeRetry(attempt, deadline))) throw toStorageError(error);
      }
    }
  }

  async #attempt<T>(work: (run: Run) => MaybePromise<T>, deadline: Deadline): Promise<T> {
    const connection = await this.pool.take(deadline);
    const transaction = new Transaction(connection, deadline, this.timeoutMs);
    try {
      const result = await work(transaction.run);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback(error);
      throw error;
    } finally {
      this.pool.give(connection);
    }
  }
}

class Transaction {
  readonly #connection: Connection;
  readonly #deadline: Deadline;
  readonly #timeoutMs: number;
  #begun: Promise<unknown> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(connection: Connection, deadline: Deadline, timeoutMs: number) {
    this.#connection = connection;
    this.#deadline = deadline;
    this.#timeoutMs = timeoutMs;
  }

  /** The first statement is sent together with BEGIN. */
  readonly run: Run = async <Row>(text: string, values: readonly Value[] = []) => {
    this.#begun ??= this.#connection.query(
      beginBefore(this.#deadline, this.#timeoutMs),
      [],
      this.#deadline,
    );
    try {
      const [, rows] = await Promise.all([
        this.#begun,
        this.#connection.query<Row>(text, values, this.#deadline),
      ]);
      return rows;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  };

  async commit(): Promise<void> {
    // Work may have gone on without waiting for a statement that failed.
    if (this.#failure) throw this.#failure.error;
    if (this.#begun === undefined) return;
    let answer: Rows<unknown>;
    try {
      answer = await this.#connection.query('COMMIT', [], this.#deadline);
    } catch (error) {
      throw isLost(error) ? new CommitUnknown(error) : error;
    }
    // A transaction that failed before answers COMMIT with ROLLBACK, and without an error.
    if (answer.command !== 'COMMIT') throw new Error(`COMMIT was answered with ${answer.command}.`);
  }

  /** Leaves the connection as it was before, or closes it when it is of no more use after the error. */
  async rollback(error: unknown): Promise<void> {
    if (this.#begun === undefined || !this.#connection.isOpen) return;
    try {
      if (isLost(error)) this.#connection.destroy();
      else await this.#connection.query('ROLLBACK', [], this.#deadline);
    } catch {
      this.#connection.destroy();
    }
  }
}
