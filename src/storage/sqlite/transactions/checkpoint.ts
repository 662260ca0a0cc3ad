import { SQLiteError, type Database as Sqlite } from 'bun:sqlite';
import { StorageError } from '../../database.ts';
import type { WalIndex } from '../connections/wal-index.ts';
import { toStorageErrorOn } from '../failures.ts';

/** As many as SQLite allows by default before a COMMIT also does this. */
const MAX_FRAMES = 1_000;

/** Moves the content of the -wal into the database file. */
export interface Checkpoint {
  isDue(): boolean;
  run(): void;
}

/**
 * Takes checkpoints from SQLite, which runs them within COMMIT: reads would wait for both together. Undefined without
 * the index of the -wal: SQLite then goes on.
 * @param check throws if the -wal is not whole: a checkpoint would move its gaps into the file.
 * @param onFailure receives what SQLite cannot do, such as writing the file.
 */
export function takeCheckpoints(
  connection: Sqlite,
  index: WalIndex | undefined,
  check: () => void,
  onFailure: (failure: StorageError) => void,
): Checkpoint | undefined {
  if (index === undefined) return undefined;
  connection.run('PRAGMA wal_autocheckpoint = 0');
  const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const report = (error: SQLiteError) => {
    const failure = toStorageErrorOn(connection, error);
    // Damage has been reported as such.
    if (!(failure instanceof StorageError) || failure.failure === 'damaged') return;
    const message = `The -wal cannot be moved into the database file: ${error.message}.`;
    onFailure(new StorageError(failure.failure, message, { cause: error }));
  };
  return {
    isDue: () => (index.content()?.frames ?? 0) >= MAX_FRAMES,
    run() {
      try {
        check();
        checkpoint.get();
      } catch (error) {
        // A failure loses nothing: the -wal keeps its content, and the next checkpoint moves all of it again. The next batch of
        // writes reports a -wal that is not whole.
        if (error instanceof SQLiteError) report(error);
      }
    },
  };
}
