import { translating } from '../failures.ts';
import { openForReading } from './connection.ts';

/** Watches a database file. */
export interface VersionWatch {
  /** A number that changes whenever anybody has committed. */
  version(): number;
  close(): void;
}

/** Asks SQLite, on a connection of its own: what a connection commits itself is no change to it. */
export function watchDataVersion(path: string): VersionWatch {
  const connection = translating(() => openForReading(path));
  const query = connection.prepare('PRAGMA data_version');
  return {
    version: () => translating(() => query.values()[0]?.[0] as number),
    close: () => connection.close(true),
  };
}
