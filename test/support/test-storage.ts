import type { Database } from '../../src/storage/database.ts';

/** A real storage for one test. */
export interface TestStorage {
  /** The open database. `reopen` replaces it. It may be closed twice. */
  readonly database: Database;
  /** Closes the database and opens it again. */
  reopen(): Promise<Database>;
  /** All stored bytes, as a thief of the storage could read them. */
  bytes(): Promise<Buffer>;
  /** Closes the database and deletes it. */
  remove(): Promise<void>;
}
