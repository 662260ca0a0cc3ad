import { Connection, type ConnectionOptions, type Rows, type Value } from './connection.ts';
import { deadlineIn } from './deadline.ts';
import { toStorageError } from './failures.ts';

/** How long one statement of a transfer may take: some move all rows at once. */
const PATIENCE_MS = 30 * 60_000;

const BATCH = 1_000;

/** A connection of its own for one long piece of work, so that it keeps none from requests. */
export class Session {
  readonly #connection: Connection;

  /** Makes one and begins the work on it. When that fails, nothing is left open. */
  static async begin<T>(
    options: ConnectionOptions,
    begin: (session: Session) => Promise<T>,
  ): Promise<T> {
    const session = new Session(options);
    try {
      return await begin(session);
    } catch (error) {
      session.end();
      throw error;
    }
  }

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection({ ...options, serverTimeoutMs: undefined });
  }

  /** @throws StorageError */
  async run<Row>(text: string, values: readonly Value[] = []): Promise<Rows<Row>> {
    try {
      return await this.#connection.query<Row>(text, values, deadlineIn(PATIENCE_MS));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  /** Begins a transaction that sees everything as it is now. */
  async beginSnapshot(): Promise<void> {
    await this.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // The moment is that of the first look, not of BEGIN.
    await this.run('SELECT 1');
  }

  /** All rows of a query, in batches, within a transaction. */
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
