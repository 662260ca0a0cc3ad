/** Reads in a snapshot see one state of the file, and later responses are not cached from it. */
import { Database as Sqlite } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { NewPet } from '../../../src/pets/pet.ts';
import type { Database } from '../../../src/storage/database.ts';
import { openSqlite } from '../../../src/storage/sqlite/open.ts';
import { Snapshot } from '../../../src/storage/sqlite/transactions/snapshot.ts';
import { BY_TEST } from '../../support/cause.ts';
import { EVERY } from '../../support/list-query.ts';
import { startService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: Database;
let service: TestService;
/** A connection of another process. */
let other: Sqlite;
beforeEach(async () => {
  folder = temporaryFolder({ inMemory: true });
  const path = folder.file('a.db');
  database = openSqlite(path);
  const storage = {
    database,
    reopen: async () => database,
    bytes: async () => Buffer.alloc(0),
    remove: () => database.close(),
  };
  service = await startService({ engine: { name: 'SQLite', open: async () => storage } });
  other = new Sqlite(path, { strict: true, readwrite: true });
});
afterEach(async () => {
  other.close(true);
  await service.close();
  folder.remove();
});

const addElsewhere = () => other.run(`INSERT INTO pets (name, category_id) VALUES ('Rex', 1)`);
const count = () => (database.read.pets.list(EVERY, undefined, 10) as unknown[]).length;

const countAll = () => (database.read.pets.list(EVERY, undefined, 1000) as unknown[]).length;

/** Requests the list; SQLite responds synchronously. */
const getList = (): Response => {
  const headers = { Authorization: `Bearer ${service.key}` };
  return service.app.fetch(new Request('http://store.test/v1/pets', { headers })) as Response;
};

test('a snapshot does not see commits of other processes, and its version stays the same', () => {
  addElsewhere();
  const before = database.version();
  database.inSnapshot(() => {
    expect(count()).toBe(1);
    addElsewhere();
    expect(count()).toBe(1);
    expect(database.version()).toBe(before);
  });
  expect(count()).toBe(2);
  expect(database.version()).not.toBe(before);
});

test('a snapshot ends if the work throws', () => {
  expect(() =>
    database.inSnapshot(() => {
      count();
      throw new Error('failed');
    }),
  ).toThrow('failed');
  addElsewhere();
  expect(count()).toBe(1);
});

test('a snapshot without a version runs each read on its own', () => {
  const snapshot = new Snapshot(other, () => {
    throw new Error('unknown');
  });
  let hasRun = 0;
  snapshot.run(() => {
    hasRun += 1;
    expect(snapshot.version).toBeUndefined();
    expect(other.inTransaction).toBe(false);
    expect(other.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: 0 });
  });
  expect(hasRun).toBe(1);
});

test('a snapshot does not fail or end an open transaction of the connection', () => {
  const snapshot = new Snapshot(other, () => 1);
  other.run('BEGIN IMMEDIATE');
  addElsewhere();
  snapshot.run(() => {
    expect(snapshot.version).toBeUndefined();
    expect(other.query('SELECT count(*) AS count FROM pets').get()).toEqual({ count: 1 });
  });
  other.run('COMMIT');
  expect(count()).toBe(1);
});

test('reads see complete batches only, in any turn of the event loop', async () => {
  const two = [
    { name: 'Rex', categoryId: 1 },
    { name: 'Mia', categoryId: 1 },
  ];
  const addTwice = (pet: NewPet) =>
    database.write(BY_TEST, ({ pets }) => [pets.create(pet), pets.create(pet)].length);
  let writing = true;
  const counts = new Set<number>();
  const read = () => {
    counts.add(countAll());
    database.inSnapshot(() => counts.add(countAll()));
  };
  const reading = (async () => {
    while (writing) {
      read();
      await new Promise(queueMicrotask);
      read();
      await new Promise(setImmediate);
    }
  })();
  for (let batch = 0; batch < 50; batch += 1) {
    await Promise.all(two.map(addTwice));
  }
  writing = false;
  await reading;
  expect(countAll()).toBe(200);
  expect([...counts].filter((count) => count % 4 !== 0)).toEqual([]);
  expect(counts.size).toBeGreaterThan(10);
});

test('a response cached while another process committed is not used again', async () => {
  const during: Response[] = [];
  database.inSnapshot(() => {
    during.push(getList(), getList());
    addElsewhere();
    during.push(getList(), getList());
  });
  for (const response of during) expect(await response.json()).toEqual([]);
  for (let time = 0; time < 3; time += 1) expect(await getList().json()).toHaveLength(1);
});
