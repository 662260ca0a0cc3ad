import { Database as Sqlite } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openMigratedScratch } from '../storage/postgres/scratch.ts';
import { animalStore, workplace } from '../support/process.ts';
import { useEach } from '../support/use-each.ts';
import { expectRefused } from './maintained.ts';
import { importText, lines, stored } from './transfer.ts';

const place = useEach(workplace);

test('a bad row after a good one fails the import with status 1 and one sentence, and nothing is imported', async () => {
  const run = await importText(place, 'a.csv', 'name,categoryId\nRex,1\n,2\n');
  expectRefused(run, 'line 3: name: must not be empty');
  expect(run.stderr).toMatch(/[^.]\. Nothing was imported\.\n$/);
  // All connections are closed.
  expect(place.files()).toEqual(['a.csv', 'animals.db']);
  expect(await stored(place.database)).toBe('');
});

const REFUSED_NAMES = lines('id,name,categoryId', '1,Rex,1', '2,Rex,1');

test.each(['pets', 'categories'])(
  'a UNIQUE index of the operator on %s refuses an import with one sentence that names the constraint',
  async (table) => {
    const flags = table === 'categories' ? ['--categories'] : [];
    expect((await importText(place, 'none.csv', '')).stderr).toBe('Imported 0 animals.\n');
    const foreign = new Sqlite(place.database);
    foreign.run(`CREATE UNIQUE INDEX "one name" ON ${table} (name)`);
    foreign.close();
    expect(await importText(place, 'a.csv', REFUSED_NAMES, ...flags)).toEqual({
      status: 1,
      stdout: '',
      stderr: `animal-store: The database refuses a row: UNIQUE constraint failed: ${table}.name. Nothing was imported.\n`,
    });
    expect(await stored(place.database)).toBe('');

    await using scratch = await openMigratedScratch();
    await scratch.sql.unsafe(`CREATE UNIQUE INDEX "one name" ON animal_store.${table} (name)`);
    const args = ['import', '-', '--database', scratch.url, ...flags];
    expect(await animalStore(args, { input: REFUSED_NAMES })).toEqual({
      status: 1,
      stdout: '',
      stderr: `animal-store: The database refuses a row: duplicate key value violates unique constraint "one name". Nothing was imported.\n`,
    });
    expect(await scratch.sql.unsafe(`SELECT 1 FROM animal_store.${table}`)).toHaveLength(0);
  },
);

test('a trigger of the operator refuses an import with its own sentence', async () => {
  await using scratch = await openMigratedScratch();
  await scratch.sql.unsafe(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'Rex is sold out'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON animal_store.pets FOR EACH ROW EXECUTE FUNCTION refuse()`);
  const args = ['import', '-', '--database', scratch.url];
  const { stderr } = await animalStore(args, { input: REFUSED_NAMES });
  expect(stderr).toBe(
    'animal-store: The database refuses a row: Rex is sold out. Nothing was imported.\n',
  );
});

test('--keep-ids rejects a duplicate and a non-integer id', async () => {
  const row = (id: string) => `{"id":${id},"name":"a","categoryId":1}`;
  await importText(place, 'first.ndjson', row('5'), '--keep-ids');
  for (const [ids, message] of [
    [['6', '6', '"7"'], 'line 2: the id 6 occurs twice in the file'],
    [['"6"'], 'line 1: id: must be an integer of at most 4611686018427387904'],
  ] as const) {
    const run = await importText(place, 'a.ndjson', lines(...ids.map(row)), '--keep-ids');
    expect(run.stderr).toContain(message);
    expect(run.status).toBe(1);
  }
  expect(await stored(place.database)).toBe('{"id":5,"name":"a","categoryId":1}\n');
});
