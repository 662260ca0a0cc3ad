import type { Database as Sqlite } from 'bun:sqlite';
import type { WalIndex } from '../connections/wal-index.ts';

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
 */
export function takeCheckpoints(
  connection: Sqlite,
  index: WalIndex | undefined,
  check: () => void,
): Checkpoint | undefined {
  if (index === undefined) return undefined;
  connection.run('PRAGMA wal_autocheckpoint = 0');
  const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  return {
    isDue: () => (index.content()?.frames ?? 0) >= MAX_FRAMES,
    run() {
      try {
        check();
        checkpoint.get();
      } catch {
        // As within COMMIT, a failure loses nothing. The next batch of writes reports what it finds.
      }
    },
  };
}
