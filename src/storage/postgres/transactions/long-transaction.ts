import { Connection, type Rows, type Value } from '../connections/connection.ts';
import { deadlineIn } from '../connections/deadline.ts';
import type { ConnectionOptions } from '../connections/options.ts';
import { LONG_TRANSACTION } from '../connections/session-settings.ts';
import { toStorageError } from '../failures.ts';
import type { Run } from './transactions.ts';

/** The timeout of one statement: some move all rows of a table. */
const STATEMENT_TIMEOUT_MS = 30 * 60_000;

/** Reads one snapshot, taken when it begins. */
export const SNAPSHOT = 'REPEATABLE READ READ ONLY';
type TransactionMode = 'READ COMMITTED' | typeof SNAPSHOT;

/**
 * One transaction for an import, export, copy, check, status or long write. Its own connection takes none from the pools. Nothing runs
 * outside of it: behind a pooler that could be in another session.
 */
export class LongTransaction {
  readonly #connection: Connection;

  /**
   * Begins a transaction on a new connection. If that or `begin` fails, closes the connection.
   * @param timeoutMs how long to wait for the connection.
   */
  static async begin<T>(
    options: ConnectionOptions,
    mode: TransactionMode,
    begin: (transaction: LongTransaction) => Promise<T>,
    timeoutMs = STATEMENT_TIMEOUT_MS,
  ): Promise<T> {
    const transaction = new LongTransaction(options);
    try {
      // BEGIN takes no snapshot. The first SELECT of the settings does.
      await transaction.run(`BEGIN ISOLATION LEVEL ${mode}; ${LONG_TRANSACTION}`, [], timeoutMs);
      return await begin(transaction);
    } catch (error) {
      transaction.end();
      throw error;
    }
  }

  /** Does work in such a transaction, and closes the connection. What is not committed is rolled back. */
  static during<T>(
    options: ConnectionOptions,
    mode: TransactionMode,
    work: (transaction: LongTransaction) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T> {
    const workAndEnd = (one: LongTransaction) => work(one).finally(() => one.end());
    return LongTransaction.begin(options, mode, workAndEnd, timeoutMs);
  }

  /** Does work in such a transaction, and commits it. */
  static write<T>(options: ConnectionOptions, work: (run: Run) => Promise<T>): Promise<T> {
    return LongTransaction.during(options, 'READ COMMITTED', async ({ run }) => {
      const result = await work(run);
      await run('COMMIT');
      return result;
    });
  }

  private constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
  }

  /** @throws StorageError */
  readonly run = async <Row>(
    text: string,
    values: readonly Value[] = [],
    timeoutMs = STATEMENT_TIMEOUT_MS,
  ): Promise<Rows<Row>> => {
    try {
      return await this.#connection.query<Row>(text, values, deadlineIn(timeoutMs));
    } catch (error) {
      throw toStorageError(error);
    }
  };

  /**
   * Commits many new rows, and counts them for the planner. Without statistics, the planner scans a table for each page of its list, until
   * autovacuum has looked at the table. The server only warns a role that does not own the tables.
   */
  async commitMany(): Promise<void> {
    await this.run('COMMIT');
    // What is committed must not be reported as failed.
    await this.run('ANALYZE animal_store.pets, animal_store.orders').catch(() => {});
  }

  /** Closes the connection. Uncommitted changes are rolled back. */
  end(): void {
    this.#connection.destroy();
  }
}
