import type { Database as Sqlite } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { FIRST_VERSION, migrationsOf } from '../../../src/storage/migrations.ts';
import { isBusy } from '../../../src/storage/sqlite/failures.ts';
import { mayBelongToAnotherFile } from '../../../src/storage/sqlite/integrity/stale-wal.ts';
import { inspect } from '../../../src/storage/sqlite/maintenance/inspect.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { currentVersion, migrate } from '../../../src/storage/sqlite/schema/migrate.ts';
import { MIGRATIONS } from '../../../src/storage/sqlite/schema/migrations.ts';
import { useEach } from '../../support/use-each.ts';
import { column, openScratch, pragma } from './scratch.ts';

/** Three versions of a schema. The later ones change tables of the earlier ones. */
const VERSIONS = [
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;',
  `ALTER TABLE notes ADD COLUMN author TEXT NOT NULL DEFAULT 'nobody';
   CREATE INDEX notes_by_author ON notes (author);`,
  "UPDATE notes SET text = text || '!';",
];

/** The versions that a migration leads from. */
const OLDER = MIGRATIONS.slice(1).map((_, index) => FIRST_VERSION + index);

const schemaOf = (connection: Sqlite) =>
  column(connection, 'SELECT sql FROM sqlite_schema ORDER BY type, name');

/** Calls `interrupt` before statement number `at` of `connection`, counted from 1. */
function interruptBefore(at: number, connection: Sqlite, interrupt: () => void): void {
  const query = connection.query.bind(connection);
  const run = connection.run.bind(connection);
  let statements = 0;
  const count = () => {
    statements += 1;
    if (statements === at) interrupt();
  };
  connection.query = ((sql: string) => {
    count();
    return query(sql);
  }) as typeof connection.query;
  connection.run = (sql: string) => {
    count();
    return run(sql);
  };
}

test('the migrations do not control transactions because each runs in one', () => {
  for (const sql of MIGRATIONS) {
    const withoutTriggers = sql.replaceAll(/^CREATE TRIGGER .* BEGIN\n[\s\S]*?^END;$/gm, '');
    expect(withoutTriggers).not.toMatch(/^\s*(BEGIN|COMMIT|END|ROLLBACK)\b/im);
  }
});

describe('migrating', () => {
  const scratch = useEach(openScratch);

  test('gives a new file our application_id, the newest version and strict tables', () => {
    const connection = scratch.writing();
    migrate(connection, scratch.path);
    expect(pragma(connection, 'user_version')).toBe(currentVersion());
    expect(
      Buffer.from((pragma(connection, 'application_id') as number).toString(16), 'hex'),
    ).toEqual(Buffer.from('AnSt'));
    const nonStrict = `SELECT name FROM pragma_table_list
      WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND NOT strict`;
    expect(column(connection, nonStrict)).toEqual([]);
    expect(column(connection, 'PRAGMA integrity_check')).toEqual(['ok']);
  });

  test('does not change a file with the current schema', () => {
    const connection = scratch.writing();
    migrate(connection, scratch.path);
    const watcher = scratch.reading();
    const before = pragma(watcher, 'data_version');
    migrate(connection, scratch.path);
    expect(pragma(watcher, 'data_version')).toBe(before);
  });

  test.each(OLDER)(
    'gives a file of version %i the schema of a new file, keeps its animals, and lets its orders be found',
    (version) => {
      const [old, fresh] = [scratch.writing(), openScratch()];
      try {
        migrate(old, scratch.path, migrationsOf(MIGRATIONS, version));
        old.run(
          "INSERT INTO pets (name, category_id, status, folded_name) VALUES ('Rex', 1, 'sold', 'rex')",
        );
        old.run(`INSERT INTO orders (pet_id, status, created_at, ended_at, reference, note)
          VALUES (1, 'delivered', 1, 5, 'Frau Ådne', 'O’Neill'), (1, 'cancelled', 2, 6, NULL, NULL)`);
        // From this version on, the service writes them.
        if (version >= 102)
          old.run(
            `UPDATE orders SET delivered_at = 5, folded_texts = 'frau adne\u0001o''neill' WHERE id = 1`,
          );
        const created = fresh.writing();
        const reports: number[][] = [];
        for (const file of [old, old, created])
          migrate(file, 'a file', MIGRATIONS, (...versions) => reports.push(versions));
        expect(reports).toEqual([[version, currentVersion()]]);
        expect(schemaOf(old)).toEqual(schemaOf(created));
        expect(pragma(old, 'user_version')).toBe(currentVersion());
        expect(column(old, 'SELECT name FROM pets')).toEqual(['Rex']);
        const orders = 'FROM orders ORDER BY id';
        expect(column(old, `SELECT folded_texts ${orders}`)).toEqual([
          "frau adne\u0001o'neill",
          '',
        ]);
        expect(column(old, `SELECT delivered_at ${orders}`)).toEqual([5, null]);
        expect(inspect(old)).toEqual([]);
      } finally {
        fresh.remove();
      }
    },
  );

  test.each([1, 2, 3])(
    'runs each migration once, from the first one to number %i and then to the newest one',
    (last) => {
      const connection = scratch.writing();
      migrate(connection, scratch.path, VERSIONS.slice(0, 1));
      connection.run("INSERT INTO notes (text) VALUES ('text')");
      migrate(connection, scratch.path, VERSIONS.slice(0, last));
      migrate(connection, scratch.path, VERSIONS);
      migrate(connection, scratch.path, VERSIONS);
      expect(connection.query('SELECT * FROM notes').all()).toEqual([
        { id: 1, text: 'text!', author: 'nobody' },
      ]);
    },
  );

  test('leaves the file at the previous version if a migration fails, and can be repeated', () => {
    const connection = scratch.writing();
    const broken = `${VERSIONS[1]} INSERT INTO nowhere VALUES (1);`;
    expect(() => migrate(connection, scratch.path, [VERSIONS[0] ?? '', broken])).toThrow('nowhere');
    expect(connection.inTransaction).toBe(false);
    expect(pragma(connection, 'user_version')).toBe(100);
    expect(column(connection, 'SELECT name FROM sqlite_schema')).toEqual(['notes']);
    migrate(connection, scratch.path, VERSIONS);
    expect(pragma(connection, 'user_version')).toBe(102);
  });

  test.each([
    ['oops', 'oops'],
    ['INSERT INTO t VALUES (zeroblob(99999))', 'full'],
  ])(
    'leaves an empty file without an application_id if the first migration fails: %s',
    (sql, why) => {
      const connection = scratch.writing();
      connection.run('PRAGMA max_page_count = 9');
      const migrations = [`CREATE TABLE t (v); ${sql};`];
      expect(() => migrate(connection, scratch.path, migrations)).toThrow(why);
      expect(schemaOf(connection)).toEqual([]);
      expect(pragma(connection, 'application_id')).toBe(0);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'succeeds if another process migrates before statement %i',
    (at) => {
      const [connection, other] = [scratch.writing(), scratch.writing()];
      other.run('PRAGMA busy_timeout = 0');
      interruptBefore(at, connection, () => {
        try {
          migrate(other, scratch.path, VERSIONS);
        } catch (error) {
          if (!isBusy(error)) throw error;
        }
      });
      migrate(connection, scratch.path, VERSIONS);
      expect(pragma(other, 'user_version')).toBe(102);
      expect(column(other, 'SELECT name FROM sqlite_schema')).toEqual(['notes', 'notes_by_author']);
    },
  );

  test('refuses a file that a newer program migrates just before its transaction', () => {
    const [connection, other] = [scratch.writing(), scratch.writing()];
    interruptBefore(5, connection, () => migrate(other, scratch.path, VERSIONS));
    const older = VERSIONS.slice(0, 1);
    expect(() => migrate(connection, scratch.path, older)).toThrow('knows only 100');
  });

  test('finds no stale WAL if the last process removes the WAL during the check', async () => {
    await openSqlite(scratch.path).close();
    expect(mayBelongToAnotherFile(scratch.path)).toBeFalse();
  });
});
