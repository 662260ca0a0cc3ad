import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Observation } from '../../../src/observe/observation.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { CheckReport } from '../../../src/storage/maintenance.ts';
import { maintainSqlite } from '../../../src/storage/sqlite/maintenance/maintenance.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending, EVERY } from '../../support/list-query.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { rex } from '../animals.ts';
import { damageNames } from './damage-names.ts';

/** FTS5 finds damage in what it stores in sound pages. Animals are complete without the index. */

let folder: ReturnType<typeof temporaryFolder>;
let path: string;
let database: Database | undefined;
let observed: Observation[];
let announced: string[];

function open(): Database {
  database = openSqlite(path, {
    observe: (observation) => observed.push(observation),
    announce: (message) => announced.push(message),
  });
  return database;
}

async function close(): Promise<void> {
  await database?.close();
  database = undefined;
}

beforeEach(async () => {
  folder = temporaryFolder({ inMemory: true });
  path = folder.file('animals.db');
  [observed, announced] = [[], []];
  const { blind, names } = open();
  for (const name of ['Zebra', 'okapi', 'Grevy zebra'])
    await blind(BY_TEST).pets.create(rex({ name, status: 'sold' }));
  await names.indexNext(9);
  await close();
});
afterEach(async () => {
  await close();
  folder.remove();
});

const search = async ({ read }: Database) =>
  (await read.pets.list(ascending({ name: 'zebra' }), undefined, 9)).map(({ id }) => id);

test('a search of a damaged index reads all animals, and reports the damage once', async () => {
  damageNames(path, 'structure');
  const opened = open();
  expect(await search(opened)).toEqual([1, 3]);
  expect(await search(opened)).toEqual([1, 3]);
  expect(observed).toEqual([{ kind: 'search_index_damaged', error: expect.any(Error) }]);
  expect(opened.read.pets.list(EVERY, undefined, 9)).toHaveLength(3);
  await opened.ping();
  expect(existsSync(`${path}-damaged`)).toBeFalse();
});

test('changes of names and removals fail until the index is built anew, and other writes of the same batch succeed', async () => {
  damageNames(path, 'structure');
  const opened = open();
  const [added, renamed, removed] = await Promise.allSettled([
    opened.blind(BY_TEST).pets.create(rex({ name: 'Hartmann zebra' })),
    opened.write(BY_TEST, ({ pets }) => pets.replace({ id: 1, ...rex({ name: 'quagga' }) })),
    opened.write(BY_TEST, ({ pets }) => pets.remove(2)),
  ]);
  expect(added.status).toBe('fulfilled');
  for (const failed of [renamed, removed])
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: {
        failure: 'unavailable',
        message: expect.stringContaining('run `animal-store check --repair-search`'),
      },
    });
  expect(observed.map(({ kind }) => kind)).toEqual(['search_index_damaged']);
  expect(await search(opened)).toEqual([1, 3, 4]);
  await maintainSqlite(path).rebuildNames();
  await opened.write(BY_TEST, ({ pets }) => pets.replace({ id: 1, ...rex({ name: 'quagga' }) }));
  await opened.names.indexNext(9);
  expect(await search(opened)).toEqual([3, 4]);
  expect(maintainSqlite(path).check()).toEqual({ faults: [], warnings: [] });
});

test('a start that checks the whole file accepts a damaged index, and says so', async () => {
  damageNames(path);
  writeFileSync(`${path}-damaged`, '');
  open();
  expect(announced).toEqual([
    expect.stringContaining('Checking all of'),
    expect.stringMatching(
      /^In .*, the index of names is damaged \(fts5: .*\): run `animal-store check --repair-search`\.$/,
    ),
  ]);
  expect(existsSync(`${path}-damaged`)).toBeFalse();
});

/** Changes the page of an index. */
function changePage(name: string, change: (page: Buffer) => unknown): void {
  const connection = new Sqlite(path);
  const sql = `SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`;
  const root = Number(connection.query(sql).values()[0]?.[0]);
  connection.close(true);
  const bytes = readFileSync(path);
  change(bytes.subarray((root - 1) * 4_096, root * 4_096));
  writeFileSync(path, bytes);
}

const OTHER_DAMAGE: Readonly<Record<string, readonly [(page: Buffer) => unknown, found: string]>> =
  {
    'a row': [(page) => page.write('sole', page.indexOf('sold')), 'row 3 missing from index'],
    'a page': [(page) => page.fill(0x5a, 8), 'page'],
  };

for (const [what, [damage, found]] of Object.entries(OTHER_DAMAGE))
  test(`a damaged index does not hide damage to ${what} from a check, nor from a start`, () => {
    damageNames(path);
    changePage('pets_by_status', damage);
    const { faults } = maintainSqlite(path).check() as CheckReport;
    expect(faults.find(({ kind }) => kind === 'structure')?.message).toContain(found);
    writeFileSync(`${path}-damaged`, '');
    expect(open).toThrow(found);
  });

test('an index that this version of FTS5 cannot read is damage of the file for a check and for a start', () => {
  changePage('pet_names_config', (page) => {
    page[page.indexOf('version') + 'version'.length] = 77;
  });
  const { faults } = maintainSqlite(path).check() as CheckReport;
  expect(faults).toEqual([
    { kind: 'structure', message: expect.stringContaining('invalid fts5 file format') },
  ]);
  expect(open).toThrow('is damaged (invalid fts5 file format');
});

test('a backup contains a damaged index with a warning, and can be restored', async () => {
  damageNames(path);
  const { backups } = maintainSqlite(path);
  const warnings: string[] = [];
  const options = {
    signal: new AbortController().signal,
    onProgress: () => {},
    onWarning: (warning: string) => warnings.push(warning),
  };
  await backups?.backUp(folder.file('backup.db'), { ...options, replace: false, now: Date.now });
  const restored = await backups?.restore(folder.file('backup.db'), options);
  expect(restored?.rows).toMatchObject({ pets: 3 });
  const warning = expect.stringMatching(
    /^In the copy, the index of names is damaged \(fts5: .*\): run `animal-store check --repair-search` after a restore\.$/,
  );
  expect(warnings).toEqual([warning, warning]);
  await maintainSqlite(path).rebuildNames();
  expect(maintainSqlite(path).check()).toEqual({ faults: [], warnings: [] });
  expect(await search(open())).toEqual([1, 3]);
});
