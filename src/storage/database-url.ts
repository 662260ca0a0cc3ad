import { parsePostgresUrl } from './postgres-url.ts';

export const isPostgresUrl = (database: string): boolean => /^postgres(?:ql)?:\/\//i.test(database);

/** The path or URL of a database without password and parameters, for messages and logs. */
export function withoutPassword(database: string): string {
  if (!isPostgresUrl(database)) return database;
  const { host, port, database: name, user } = parsePostgresUrl(database);
  const path = `postgres://${encodeURIComponent(user)}@`;
  const end = `/${encodeURIComponent(name)}`;
  if (host.startsWith('/')) return `${path}${end}?host=${host}`;
  return `${path}${nameOfServer(host, port)}${end}`;
}

/** The server of an address, for messages: `host:port`. */
export const nameOfServer = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** The name of a file that belongs to a database of SQLite. SQLite and commands remove or replace such a file. */
export const PART_OF_DATABASE =
  /(?:-(?:wal|shm|journal|damaged|restoring)|\.animal-store-unfinished)$/;
