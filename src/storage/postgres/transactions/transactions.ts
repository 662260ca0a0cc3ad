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
import { isConflict, isLost, reasonOf, toStorageError } from '../failures.ts';

/** Runs one statement. */
export type Run = <Row>(text: string, values?: readonly Value[]) => Promise<Rows<Row>>;

/**
 * Each statement sees all transactions committed before it. A transaction locks the rows that it reads
 * in order to change them (`FOR UPDATE`). UNIQUE and CHECK constraints guarantee the invariants.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

/**
 * BEGIN, with a shorter statement_timeout if the wait for a connection has used up time. Otherwise the
 * server would continue a statement after our timeout, and keep its locks and its connection.
 */
function beginBefore(deadline: Deadline, timeoutMs: number): string {
  const leftMs = remainingMs(deadline);
  return leftMs > serverTimeoutMs(timeoutMs)
    ? BEGIN
    : `${BEGIN}; SET LOCAL statement_timeout = ${serverTimeoutMs(leftMs)}`;
}

/** The maximum number of retries after conflicts with other transactions. */
const MAX_CONFLICTS = 5;

/** The connection was lost during COMMIT: the transaction may be committed or not. */
class CommitUnknown extends StorageError {
  constructor(cause: unknown) {
    super('unavailable', 'The connection to the database was lost during a commit.', { cause });
  }
}

/** Runs work in transactions, and retries it while that is safe, until the deadline. */
export class Transactions {
  constructor(
    readonly pool: ExclusivePool,
    readonly timeoutMs: number,
  ) {}

  /**
   * @param isRepeatable as in `Database.write`.
   * @throws StorageError, or what `work` throws.
   */
  async run<T>(
    work: (run: Run) => MaybePromise<T>,
    isRepeatable: boolean,
    deadline = deadlineIn(this.timeoutMs),
  ): Promise<T> {
    let conflicts = 0;
    let reason: unknown;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(work, deadline);
      } catch (error) {
        reason = reasonOf(error, reason);
        if (isConflict(error)) conflicts += 1;
        const mayRetry = isConflict(error)
          ? conflicts <= MAX_CONFLICTS
          : isLost(error) || (error instanceof CommitUnknown && isRepeatable);
        if (!mayRetry || !(await pauseBeforeRetry(attempt, deadline))) throw toStorageError(reason);
      }
    }
  }

  async #attempt<T>(work: (run: Run) => MaybePromise<T>, deadline: Deadline): Promise<T> {
    const connection = await this.pool.acquire(deadline);
    const transaction = new Transaction(connection, deadline, this.timeoutMs);
    try {
      const result = await work(transaction.run);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback(error);
      throw error;
    } finally {
      this.pool.release(connection);
    }
  }
}

class Transaction {
  #begin: Promise<unknown> | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly deadline: Deadline,
    private readonly timeoutMs: number,
  ) {}

  /** The first statement is sent together with BEGIN. */
  readonly run: Run = async <Row>(text: string, values: readonly Value[] = []) => {
    this.#begin ??= this.connection.query(
      beginBefore(this.deadline, this.timeoutMs),
      [],
      this.deadline,
    );
    try {
      const [, rows] = await Promise.all([
        this.#begin,
        this.connection.query<Row>(text, values, this.deadline),
      ]);
      return rows;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  };

  /** The server acknowledges COMMIT when the transaction is on its disk, and on those of synchronous standbys. */
  async commit(): Promise<void> {
    // `work` may have ignored a failed statement.
    if (this.#failure) throw this.#failure.error;
    if (this.#begin === undefined) return;
    let result: Rows<unknown>;
    try {
      result = await this.connection.query('COMMIT', [], this.deadline);
    } catch (error) {
      throw isLost(error) ? new CommitUnknown(error) : error;
    }
    // In a failed transaction COMMIT returns the command tag ROLLBACK, and no error.
    if (result.command !== 'COMMIT') throw new Error(`COMMIT returned ${result.command}.`);
  }

  /** Rolls back, so that the connection can be reused, or closes it if it is lost. */
  async rollback(error: unknown): Promise<void> {
    if (this.#begin === undefined || !this.connection.isOpen) return;
    try {
      if (isLost(error)) this.connection.destroy();
      else await this.connection.query('ROLLBACK', [], this.deadline);
    } catch {
      this.connection.destroy();
    }
  }
}
