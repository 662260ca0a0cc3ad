import type { Database as Sqlite, Statement } from 'bun:sqlite';
import type { ReaderName } from '../../database.ts';
import type { VersionWatch } from '../connections/version-watch.ts';

/**
 * The version of the file, which caches depend on, and what writes have changed that declare it (`onlyChanges`): otherwise each
 * of their commits would empty the caches of all readers.
 */
export class Versions {
  readonly #changes = new Map<string, number>();

  readonly #others: Statement<unknown, []>;

  /** @param connection the one that commits. */
  constructor(
    readonly watch: VersionWatch,
    connection: Sqlite,
  ) {
    this.#others = connection.prepare('PRAGMA data_version');
  }

  /**
   * Called under the write lock for a batch that changes the results of these readers only. Returns what runs after COMMIT.
   * If anything else was committed in between, the version changes as after every commit.
   */
  beginCommit(changed: readonly ReaderName[]): () => void {
    const keepVersion = this.watch.beginCommit?.();
    const others = this.#commitsOfOthers();
    const isAlone = () => this.#commitsOfOthers() === others;
    return () => {
      if (!keepVersion?.(isAlone)) return;
      for (const reader of changed) this.#changes.set(reader, this.#changesOf(reader) + 1);
    };
  }

  /** A number that grows with each change of the results of these readers that has not changed the version. */
  changesOf(readers: Iterable<string>): number {
    let changes = 0;
    for (const reader of readers) changes += this.#changesOf(reader);
    return changes;
  }

  /**
   * A value that changes with each commit of another connection, and not with those of this one. NaN, which equals nothing, if the
   * read fails: after COMMIT, a failure must not make the batch fail. The counter of commits in the WAL-index would not do: a
   * batch that changes nothing does not count, and another commit right after it would pass for its own.
   */
  #commitsOfOthers(): number {
    try {
      return this.#others.values()[0]?.[0] as number;
    } catch {
      return Number.NaN;
    }
  }

  #changesOf(reader: string): number {
    return this.#changes.get(reader) ?? 0;
  }
}
