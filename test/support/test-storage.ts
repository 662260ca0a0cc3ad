import type { Database } from '../../src/storage/database.ts';

/** A real storage of its own for one test. */
export interface TestStorage {
  /** What is open now: another one after `reopen`. Closing it twice is closing it once. */
  readonly database: Database;
  /** Closes it and opens what it left behind. */
  reopen(): Promise<Database>;
  /** All that is kept, as bytes: whatever a thief of the storage could read. */
  bytes(): Promise<Buffer>;
  /** Closes it and leaves nothing behind. */
  remove(): Promise<void>;
}
