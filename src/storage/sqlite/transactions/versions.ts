import type { ReaderName } from '../../database.ts';
import type { VersionWatch } from '../connections/version-watch.ts';

/**
 * The version of the file, which caches depend on, and what background jobs have changed without changing it: otherwise
 * each of their commits would empty the caches of all readers.
 */
export class Versions {
  readonly #changes = new Map<string, number>();

  constructor(readonly watch: VersionWatch) {}

  /**
   * Called under the write lock for a batch that changes the results of these readers only. Returns what runs after COMMIT.
   * If anything else was committed in between, the version changes as after every commit.
   */
  beginCommit(changed: readonly ReaderName[]): () => void {
    const keepVersion = this.watch.beginCommit?.();
    return () => {
      if (!keepVersion?.()) return;
      for (const reader of changed) this.#changes.set(reader, this.#changesOf(reader) + 1);
    };
  }

  /** A number that grows with each change of the results of these readers that has not changed the version. */
  changesOf(readers: Iterable<string>): number {
    let changes = 0;
    for (const reader of readers) changes += this.#changesOf(reader);
    return changes;
  }

  #changesOf(reader: string): number {
    return this.#changes.get(reader) ?? 0;
  }
}
