import { Database as Sqlite } from 'bun:sqlite';
import { afterAll, beforeAll, expect } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { openSqlite } from '../../src/storage/sqlite/open.ts';
import { animalStore, ONE_SENTENCE, type Outcome, workplace } from '../support/process.ts';

/** Adds animals with one statement: the catalogue must be large enough for a signal in the middle of a command. */
export async function addAnimals(database: string, count: number): Promise<void> {
  await openSqlite(database).close();
  withFile(database, (connection) => {
    connection.run(`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      INSERT INTO pets (name, category_id, status, folded_name) SELECT 'animal ' || n, n % 7, 'available', 'animal ' || n FROM numbers`);
  });
}

/** A catalogue that the tests of a file copy, because adding many animals takes longer. Returns the function that copies it. */
export function sharedCatalogue(count: number): (path: string) => void {
  const place = workplace();
  beforeAll(() => addAnimals(place.database, count));
  afterAll(() => place.remove());
  return (path) => copyFileSync(place.database, path);
}

/** Runs `work` on a database file as another program would. */
export function withFile<T>(path: string, work: (connection: Sqlite) => T): T {
  const connection = new Sqlite(path, { readwrite: true });
  try {
    connection.run('PRAGMA busy_timeout = 10000');
    return work(connection);
  } finally {
    connection.close(true);
  }
}

/** Expects that a command failed with one sentence that contains this, and printed nothing else. */
export function expectRefused(run: Outcome, sentence: string, status = 1): void {
  expect([run.status, run.stdout]).toEqual([status, '']);
  expect(run.stderr).toMatch(ONE_SENTENCE);
  expect(run.stderr).toContain(sentence);
}

export const namesIn = (path: string): Map<number, string> =>
  withFile(
    path,
    (connection) =>
      new Map(connection.query('SELECT id, name FROM pets').values() as [number, string][]),
  );

export const maintain = (database: string, ...args: readonly string[]): Promise<Outcome> =>
  animalStore([...args, '--database', database]);

/** The same, and fails unless the exit status is 0. Returns standard output. */
export async function maintained(database: string, ...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await maintain(database, ...args);
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Overwrites the first page of an index of the animals with zeros, after its header. */
export async function damage(path: string): Promise<void> {
  const root = withFile(path, (connection) => {
    const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'pets_by_status'";
    return Number(connection.query(sql).values()[0]?.[0]);
  });
  const bytes = Buffer.from(await Bun.file(path).arrayBuffer());
  bytes.fill(0, (root - 1) * 4_096 + 8, root * 4_096);
  await Bun.write(path, bytes);
}
