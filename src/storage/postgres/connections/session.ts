import { toStorageError } from '../failures.ts';
import { Connection, type Rows, type Value } from './connection.ts';
import { deadlineIn, WITHOUT_SERVER_TIMEOUT } from './deadline.ts';
import type { ConnectionOptions } from './options.ts';

/** How long one statement of a transfer may take: some move all rows at once. */
const PATIENCE_MS = 30 * 60_000;

const BATCH = 1_000;

/** The second sees everything as it was at its first statement. */
type TransactionMode = 'READ COMMITTED' | 'REPEATABLE READ READ ONLY';

/**
 * A connection of its own for one long piece of work, so that it keeps none from requests. All of it
 * is one transaction: a pooler may give what comes after it to another session of the server.
 */
export class Session {
  readonly #connection: Connection;

  /** Makes one and begins a transaction on it. When that fails, nothing is left open. */
  static async begin<T>(
    options: ConnectionOptions,
    mode: TransactionMode,
    begin: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = new Session(options);
    try {
      await session.run(`BEGIN ISOLATION LEVEL ${mode}; ${WITHOUT_SERVER_TIMEOUT}`);
      return await begin(session);
    } catch (error) {
      session.end();
      throw error;
    }
  }

  private constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options);
  }

  /** @throws StorageError */
  async run<Row>(text: string, values: readonly Value[] = []): Promise<Rows<Row>> {
    try {
      return await this.#connection.query<Row>(text, values, deadlineIn(PATIENCE_MS));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** All rows of a query, in batches. */
  async *stream<Row>(select: string): AsyncGenerator<readonly Row[]> {
    await this.run(`DECLARE streamed NO SCROLL CURSOR FOR ${select}`);
    for (;;) {
      const rows = await this.run<Row>(`FETCH ${BATCH} FROM streamed`);
      if (rows.length === 0) break;
      yield rows;
    }
    await this.run('CLOSE streamed');
  }

  /** Lets go of the connection, and of whatever was not committed on it. */
  end(): void {
    this.#connection.destroy();
  }
}
