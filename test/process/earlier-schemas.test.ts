/** A database from before the first release is refused by each command that opens it, and stays as it is. */
import { expect, test } from 'bun:test';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { createKey } from '../support/create-key.ts';
import { animalStore, type Workplace, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { withFile } from './maintained.ts';

const place = useEach(workplace);

/** What each command adds to `--database`. */
const COMMANDS =
  'serve --port 0, migrate, migrate --check, check, check --repair, status, export, import ROWS, keys list, keys create --name till, usage, events, renew-events';

const sentence = (database: string, version: number) =>
  `animal-store: ${database} has schema version ${version}, from before the first release. This program cannot migrate it: ` +
  'export its animals and categories with the program that wrote it, and import them into a new database.\n';

/** Expects that each command says this, one after the other. */
async function expectEach(stderr: string, commands: readonly (readonly string[])[]) {
  for (const command of commands)
    expect([command, await animalStore(command)]).toEqual([
      command,
      { status: 1, stdout: '', stderr },
    ]);
}

const commandsOn = async (database: string, { write }: Workplace): Promise<string[][]> => {
  const rows = await write('rows.ndjson', '{"name":"Rex","categoryId":1}\n');
  return COMMANDS.replace('ROWS', rows)
    .split(', ')
    .map((command) => [...command.split(' '), '--database', database]);
};

test('on SQLite', async () => {
  const { database, file, read, files } = place;
  await createKey(database);
  withFile(database, (connection) => connection.run('PRAGMA user_version = 9'));
  const commands = await commandsOn(database, place);
  const before = { bytes: read('animals.db'), files: files() };
  await expectEach(sentence(database, 9), [
    ...commands,
    ['backup', file('copy.db'), '--database', database],
    ['restore', database, '--database', file('copy.db')],
    ['copy', '--from', database, '--to', file('copy.db')],
  ]);
  expect(read('animals.db').equals(before.bytes)).toBeTrue();
  expect(files()).toEqual(before.files);
  await createKey(file('empty.db'));
  const target = ['copy', '--from', file('empty.db'), '--to', database];
  await expectEach(sentence(database, 9), [target]);
});

test('on PostgreSQL', async () => {
  await using scratch = await openMigratedScratch();
  await scratch.sql`UPDATE animal_store.schema_version SET version = 11`;
  await scratch.sql.end();
  await expectEach(sentence('The database', 11), [
    ...(await commandsOn(scratch.url, place)),
    ['copy', '--from', scratch.url, '--to', place.database],
  ]);
  expect(place.has('animals.db')).toBeFalse();
});
