/** Simultaneous additions share a transaction, without visible effects. */
import { expect, spyOn, test } from 'bun:test';
import type { NewPet, Pet } from '../../../src/pets/pet.ts';
import type { Database } from '../../../src/storage/database.ts';
import { Transactions } from '../../../src/storage/postgres/transactions/transactions.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { inOrder, readAll, rex } from '../animals.ts';
import { failureOf, openMigratedScratch, useScratch } from './scratch.ts';

const scratch = useScratch();

const add = (database: Database, pet: NewPet): Promise<Pet> => database.addPet(BY_TEST, pet);

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => rex({ name: `Animal ${index}` }));

const transactions = async (): Promise<number> => {
  const [row] = await scratch.sql<
    { count: number }[]
  >`SELECT count(DISTINCT xmin::text)::int AS count FROM animal_store.pets`;
  return row?.count ?? 0;
};

test('1,000 simultaneous additions share two or three transactions, and have the returned ids', async () => {
  const database = await scratch.open();
  const added = await Promise.all(many(1000).map((pet) => add(database, pet)));
  expect(await readAll(database)).toEqual(inOrder(added));
  expect(added.map(({ name }) => name)).toEqual(many(1000).map(({ name }) => name));
  // A third one if the test had to wait for the processor between two calls.
  expect([2, 3]).toContain(await transactions());
});

test('an addition that violates a constraint does not affect the others', async () => {
  await using own = await openMigratedScratch();
  const database = await own.open();
  await own.sql`ALTER TABLE animal_store.pets ADD CHECK (name <> 'Animal 3')`;
  const results = await Promise.allSettled(many(10).map((pet) => add(database, pet)));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(
    many(10).map(({ name }) => name !== 'Animal 3'),
  );
  expect((await readAll(database)).map(({ name }) => name).sort()).toEqual(
    many(10)
      .map(({ name }) => name)
      .filter((name) => name !== 'Animal 3'),
  );
});

test('additions succeed if connections are lost before the commit', async () => {
  const database = await scratch.open();
  await add(database, rex({ name: 'first' }));
  const release = await scratch.hold('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
  const adding = Promise.all(many(20).map((pet) => add(database, pet)));
  await until(async () => (await scratch.backends('Lock')).length > 0);
  await scratch.endBackends();
  await release();
  await adding;
  expect(await readAll(database)).toHaveLength(21);
});

test('additions are not repeated after a COMMIT without a response', async () => {
  await using own = await openMigratedScratch();
  const database = await own.open();
  await add(database, rex({ name: 'first' }));
  // The connection ends during COMMIT. The sequence counts inserted rows across transactions.
  await own.sql.unsafe(`
    CREATE SEQUENCE inserted;
    CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM nextval('public.inserted'); RETURN NEW; END $$;
    CREATE TRIGGER counting BEFORE INSERT ON animal_store.pets
      FOR EACH ROW EXECUTE FUNCTION count_row();
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER ending AFTER INSERT ON animal_store.pets
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_session()`);
  const failures = await Promise.all(many(10).map((pet) => failureOf(add(database, pet))));
  for (const { failure, message } of failures) {
    expect(failure).toBe('unavailable');
    expect(message).toContain('during a commit');
  }
  const [row] = await own.sql`SELECT last_value::int AS count FROM inserted`;
  expect(row?.['count']).toBe(10);
});

test('additions that the server returns changed are rolled back and return no id', async () => {
  await using own = await openMigratedScratch();
  const database = await own.open();
  await own.sql.unsafe(`
    CREATE FUNCTION rename() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.name = 'Animal ' || (9 - substr(NEW.name, 8)::int); RETURN NEW; END $$;
    CREATE TRIGGER renaming BEFORE INSERT ON animal_store.pets
      FOR EACH ROW EXECUTE FUNCTION rename()`);
  const results = await Promise.allSettled(many(10).map((pet) => add(database, pet)));
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  expect(await readAll(database)).toEqual([]);
});

test('an addition that waits for a batch has its own deadline', async () => {
  const database = await scratch.open();
  await add(database, rex({ name: 'first' }));
  using run = spyOn(Transactions.prototype, 'run');
  using now = spyOn(performance, 'now');
  const release = await scratch.hold('LOCK TABLE animal_store.pets IN ACCESS EXCLUSIVE MODE');
  // Of its 20 seconds, an addition has so much left. Nothing but its deadline is computed from this time.
  const addWith = (leftMs: number, name: string) => {
    now.mockReturnValueOnce(performance.now() + leftMs - 20_000);
    return add(database, rex({ name }));
  };
  // The first one runs. The others wait for it, with different deadlines.
  const hasty = [addWith(1_000, 'early'), addWith(1_200, 'next')].map(failureOf);
  const late = addWith(20_000, 'late');
  await Promise.all(hasty);
  await release();
  await late;
  expect((await readAll(database)).map(({ name }) => name)).toEqual(['first', 'late']);
  expect(run.mock.calls.every(([, , deadline]) => deadline !== undefined)).toBe(true);
});

test('accepted additions are stored if the database is closed before they are', async () => {
  const database = await scratch.open();
  const adding = Promise.all(many(2500).map((pet) => add(database, pet)));
  await new Promise(setImmediate);
  await database.close();
  const added = await adding;
  expect(await readAll(await scratch.open())).toEqual(inOrder(added));
});
