import { translateErrors } from '../failures.ts';
import { openForReading } from './connection.ts';

/** Detects commits to a database file. */
export interface VersionWatch {
  /** A number that changes on every commit of any connection. */
  version(): number;
  /**
   * For a commit that must not change the version: called under the write lock, before the work. The returned function is
   * called after COMMIT. It keeps the version and returns true if `isAlone` finds no other commit in between. Undefined if
   * the version cannot be kept.
   */
  beginCommit?(): (isAlone: () => boolean) => boolean;
  close(): void;
}

/** Uses PRAGMA data_version on its own connection because the value ignores commits of the same connection. */
export function watchDataVersion(path: string): VersionWatch {
  const connection = translateErrors(() => openForReading(path));
  const query = connection.prepare('PRAGMA data_version');
  return {
    version: () => translateErrors(() => query.values()[0]?.[0] as number),
    close: () => connection.close(true),
  };
}
