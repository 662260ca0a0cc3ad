import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { createKey } from '../support/create-key.ts';
import {
  animalStore,
  inWorkplace,
  ONE_SENTENCE,
  runProgram,
  type Workplace,
  workplace,
} from '../support/process.ts';
import { useEach } from '../support/use-each.ts';

const place = useEach(workplace);

function alter(database: string, ...statements: readonly string[]): void {
  const connection = new Database(database, { readwrite: true, create: true });
  for (const statement of statements) connection.run(statement);
  connection.close();
}

const FILES: Readonly<Record<string, (place: Workplace) => unknown>> = {
  'a database newer than the program': async ({ database }) => {
    await createKey(database);
    alter(database, 'PRAGMA user_version = 9999');
  },
  'a newer database that is not in WAL mode': async ({ database }) => {
    await createKey(database);
    alter(database, 'PRAGMA user_version = 9999', 'PRAGMA journal_mode = DELETE');
  },
  'a file that is not a database': ({ write }) => write('animals.db', 'Dear diary, '.repeat(1000)),
  "another program's SQLite file": ({ database }) =>
    alter(database, 'CREATE TABLE diary (entry TEXT)', "INSERT INTO diary VALUES ('Dear diary')"),
  "another program's SQLite file in WAL mode": ({ database }) =>
    alter(database, 'PRAGMA journal_mode = WAL', 'CREATE TABLE diary (entry TEXT)'),
  "another program's SQLite file with an application id": ({ database }) =>
    alter(database, 'PRAGMA application_id = 7', 'CREATE TABLE pets (id INTEGER)'),
};

const COMMANDS: Readonly<Record<string, (place: Workplace) => Promise<string[]>>> = {
  serve: async () => ['serve', '--port', '0'],
  import: async ({ write }) => ['import', await write('rows.ndjson', '')],
  'keys list': async () => ['keys', 'list'],
};

for (const [what, prepare] of Object.entries(FILES)) {
  // All commands open a file in the same way: one file shows it.
  const commands = Object.entries(COMMANDS).slice(
    what === 'a file that is not a database' ? 0 : -1,
  );
  for (const [name, command] of commands) {
    test(`${what} is rejected by ${name} with status 1 and one sentence, and stays unchanged`, async () => {
      await prepare(place);
      const args = await command(place);
      const before = { bytes: place.read('animals.db'), files: place.files() };
      const { status, stdout, stderr } = await animalStore([...args, '--database', place.database]);
      expect(stderr).toMatch(ONE_SENTENCE);
      expect(stdout).toBe('');
      expect(status).toBe(1);
      expect(place.files()).toEqual(before.files);
      expect(place.read('animals.db').equals(before.bytes)).toBeTrue();
    });
  }
}

test.each([
  'serve --port 0',
  'keys list',
  'check',
  'status',
  'backup PLACE/a.db',
  'copy --to PLACE/a.db --from DATABASE',
])('%s rejects a database that is a named pipe, without waiting for a writer', async (command) => {
  await inWorkplace(async ({ database, path, files }) => {
    await runProgram(['mkfifo', database]);
    const args = command.replace('PLACE', path).replace('DATABASE', database).split(' ');
    const run = await animalStore(args.includes('copy') ? args : [...args, '--database', database]);
    expect(run.stderr).toContain(
      `${database} is a pipe or a device: the database must be a file.\n`,
    );
    expect(run.status).toBe(1);
    expect(files()).toEqual(['animals.db']);
  })();
});

test('restore rejects a named pipe as the backup and as the database, without waiting, and changes nothing', async () => {
  const { database, file, files } = place;
  await createKey(database);
  await animalStore(['backup', file('a.db'), '--database', database]);
  await runProgram(['mkfifo', file('pipe')]);
  const before = files();
  for (const [backup, target] of [
    [file('pipe'), database],
    [file('a.db'), file('pipe')],
  ] as const) {
    const run = await animalStore(['restore', backup, '--database', target]);
    expect(run.stderr).toBe(
      `animal-store: ${file('pipe')} is a pipe or a device: the database must be a file.\n`,
    );
    expect(run.status).toBe(1);
    expect(files()).toEqual(before);
  }
});

test('a database path that is a folder, or is below a file, is rejected with status 1 and one sentence', async () => {
  const { path, write, file } = place;
  await write('plain', 'text');
  for (const database of [path, file('plain/animals.db')]) {
    const run = await animalStore(['serve', '--port', '0', '--database', database]);
    expect(run.stderr).toMatch(ONE_SENTENCE);
    expect(run.status).toBe(1);
  }
});
