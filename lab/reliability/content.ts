import { StorageError } from '../../src/storage/database.ts';
import { isPostgresUrl } from '../../src/storage/database-url.ts';
import type { CheckReport } from '../../src/storage/maintenance.ts';
import { maintainPostgres } from '../../src/storage/postgres/maintenance/maintenance.ts';
import { openPostgres } from '../../src/storage/postgres/open.ts';
import { maintainSqlite } from '../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../src/storage/sqlite/open.ts';

/** All rows of a catalogue as JSON, by table, in the order of their keys. */
export type Content = Readonly<Record<string, readonly string[]>>;

const toText = (cell: unknown): unknown =>
  cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell === null ? null : `${cell}`;

/** Reads a catalogue that nothing else uses. Migrates it first. @throws StorageError if it is refused */
export async function contentOf(url: string): Promise<Content> {
  const database = isPostgresUrl(url)
    ? await openPostgres(url, { connections: 2, mayCreate: false })
    : openSqlite(url);
  await database.close();
  const source = await database.transfer.openSource();
  try {
    const content: Record<string, string[]> = {};
    for (const part of source.parts) {
      const rows: string[] = [];
      for await (const batch of source.rows(part))
        rows.push(...batch.map((row) => JSON.stringify(row.map(toText))));
      content[part] = rows;
    }
    return content;
  } finally {
    await source.close();
  }
}

/** The tables whose rows differ. */
export const differing = (one: Content, other: Content): string[] =>
  Object.keys({ ...one, ...other }).filter((part) => !Bun.deepEquals(one[part], other[part]));

/** What `check` finds, or why it refuses the database, without warnings. */
export async function faultsIn(url: string): Promise<string[]> {
  const maintenance = isPostgresUrl(url)
    ? maintainPostgres(url, { prepared: true, tlsFiles: {}, timeoutMs: 5_000 })
    : maintainSqlite(url);
  try {
    const { faults }: CheckReport = await maintenance.check();
    return faults.map(({ message }) => `check: ${message}`);
  } catch (error) {
    if (error instanceof StorageError) return [`check: ${error.message}`];
    throw error;
  }
}
