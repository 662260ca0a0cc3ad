import { describe, expect, spyOn, test } from 'bun:test';
import type { Database, Stores } from '../../../src/storage/database.ts';
import { deadlineIn } from '../../../src/storage/postgres/connections/deadline.ts';
import { ExclusivePool, SharedPool } from '../../../src/storage/postgres/connections/pools.ts';
import { INT64_EDGES, int64 } from '../../support/arbitraries.ts';
import { countPets, exportPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { startForwarder } from '../../support/forwarder.ts';
import { ascending } from '../../support/list-query.ts';
import { until } from '../../support/process.ts';
import { inOrder, readAll, rex } from '../animals.ts';
import { failureOf, gate, openMigratedScratch, useScratch } from './scratch.ts';

const scratch = useScratch();

const addRex = (database: Database, name = 'Rex') =>
  database.write(BY_TEST, ({ pets }) => pets.create(rex({ name })));
const get = async (database: Database, id: number) => database.read.pets.get(id);
/** A list that is not batched. */
const list = async (database: Database) =>
  database.read.pets.list(ascending({ id: [1] }), undefined, 10);

/** Blocks reads and writes of animals until the returned function is called. */
const lockPets = () =>
  scratch.hold(
    'LOCK TABLE animal_store.pets, animal_store.category_counts IN ACCESS EXCLUSIVE MODE',
  );

/** A forwarder in front of the server that counts bytes and connections. */
async function startCounter() {
  const counted = { 'to server': 0, 'to client': 0, connections: 0 };
  const forwarder = await startForwarder(scratch.server, {
    onBytes(direction, chunk) {
      counted[direction] += chunk.length;
      counted.connections = Math.max(counted.connections, forwarder.connections);
    },
  });
  return {
    counted,
    url: scratch.server.url(scratch.name, { port: forwarder.port }),
    close: forwarder.close,
    /** Waits for a number of open connections, then resets the counters. */
    async reset(connections = 0) {
      await until(() => forwarder.connections === connections);
      Object.assign(counted, { 'to server': 0, 'to client': 0, connections: 0 });
    },
  };
}

describe('connections', () => {
  test.each([2, 5])(
    'are at most %i if that is the limit, under concurrent requests',
    async (connections) => {
      const counter = await startCounter();
      const options = { connections, timeoutMs: 20_000, checkService: () => {} };
      const database = await scratch.open(options, counter.url);
      await counter.reset();
      const work = Array.from({ length: 100 }, (_, index) =>
        index % 2 ? addRex(database) : readAll(database),
      );
      await Promise.all(work);
      expect(counter.counted.connections).toBe(connections);
      // The session of the start may end a little later at the server.
      await until(async () => (await scratch.backends()).length === connections);
      expect(await countPets(database)).toBe(50);
      await database.close();
      await counter.close();
    },
  );

  test('are replaced after the server has closed idle ones', async () => {
    const database = await scratch.open({ connections: 4 });
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([addRex(database), addRex(database), get(database, 1), get(database, 2)]);
      await scratch.endBackends();
    }
    const work = Array.from({ length: 10 }, () => [addRex(database), get(database, 1)]);
    await Promise.all(work.flat());
    expect(await countPets(database)).toBe(16);
  });

  test('that are of no use any more are replaced by a check, however many they are', async () => {
    const database = await scratch.open({ connections: 10 });
    const setReadOnly = (mode: 'on' | 'off') =>
      scratch.sql.unsafe(
        `ALTER DATABASE ${scratch.name} SET default_transaction_read_only = ${mode}`,
      );
    await setReadOnly('on');
    await scratch.endBackends();
    await Promise.all(Array.from({ length: 5 }, () => list(database)));
    await setReadOnly('off');
    const checks = [1, 2, 3].map(() => database.checkHealth());
    // Anyone can request them.
    expect(database.measure().pools?.[1]).toMatchObject({ busy: 1, waiting: 0 });
    await Promise.all(checks);
  });

  test('that are lost twice do not fail a check', async () => {
    const { forwarder, database } = await scratch.openThrough();
    const cut = () => forwarder.cutWhen('transaction_read_only');
    const cuts = cut().then(cut);
    // Three connections may take longer than a check waits for a result.
    using _clock = spyOn(performance, 'now').mockReturnValue(performance.now());
    await database.checkHealth();
    await cuts;
  });

  test('for writing are waited for until the timeout if all are in use, and reads and long writes continue', async () => {
    const database = await scratch.open({ connections: 2 });
    const [holding, hanging] = [gate(), gate()];
    const writing = database.write(BY_TEST, async () => {
      holding.open();
      await hanging.opened;
    });
    await holding.opened;
    using now = spyOn(performance, 'now');
    const waiting = Array.from({ length: 3 }, () => {
      // It has 1.5 of its 20 seconds.
      now.mockReturnValueOnce(performance.now() - 18_500);
      return failureOf(addRex(database));
    });
    const busy = { name: 'write', open: 1, busy: 1, waiting: 3, limit: 1 };
    expect(database.measure().pools?.[0]).toEqual(busy);
    expect(await readAll(database)).toEqual([]);
    const add = ({ pets }: Stores) => pets.create(rex({ name: 'Leo' }));
    await database.write(BY_TEST, add, { isLong: true });
    for (const { failure, message } of await Promise.all(waiting)) {
      expect(failure).toBe('unavailable');
      expect(message).toBe('Every connection to the database is in use.');
    }
    const last = addRex(database, 'Mia');
    hanging.open();
    await Promise.all([writing, last]);
    expect((await readAll(database)).map(({ name }) => name)).toEqual(['Leo', 'Mia']);
    expect(database.measure().pools?.[0]).toMatchObject({ name: 'write', busy: 0, waiting: 0 });
  });

  test('are closed at once if none is in use, even after a write waited for one in vain', async () => {
    const options = { url: scratch.url, prepared: true, serverTimeoutMs: undefined };
    const pool = new ExclusivePool(options, 1);
    const connection = await pool.acquire(deadlineIn(0));
    expect((await failureOf(pool.acquire(deadlineIn(0)))).failure).toBe('unavailable');
    connection.destroy();
    pool.release(connection);
    // None is open, so this turn of the event loop is enough.
    const endOf = async (one: ExclusivePool) => {
      const nextTurn = new Promise((resolve) => setImmediate(resolve, 'waits'));
      return Promise.race([one.end(deadlineIn(20_000)).then(() => 'closed'), nextTurn]);
    };
    expect(await endOf(pool)).toBe('closed');
    const inUse = new ExclusivePool(options, 1);
    const first = await inUse.acquire(deadlineIn(0));
    const next = inUse.acquire(deadlineIn(1));
    inUse.release(first);
    await next;
    // The deadline of a served waiter passes.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await endOf(inUse)).toBe('waits');
    await inUse.end(deadlineIn(1));
  });

  test('are closed after the pending writes and reads', async () => {
    const database = await scratch.open({ connections: 4 });
    const unlock = await lockPets();
    const writes = Array.from({ length: 20 }, () => addRex(database));
    const reads = Array.from({ length: 20 }, () => countPets(database));
    await until(async () => (await scratch.backends('Lock')).length === 4);
    const closed = database.close();
    await unlock();
    await closed;
    expect(database.measure().pools).toMatchObject([{ open: 0 }, { open: 0 }]);
    expect(new Set((await Promise.all(writes)).map(({ id }) => id)).size).toBe(20);
    expect(await Promise.all(reads)).toHaveLength(20);
    await until(async () => (await scratch.backends()).length === 0);
    expect(await countPets(await scratch.open())).toBe(20);
  });

  test('are not opened after close', async () => {
    const database = await scratch.open({ connections: 4 });
    await database.close();
    for (const late of [get(database, 1), addRex(database)])
      expect((await failureOf(late)).failure).toBe('unavailable');
    await until(async () => (await scratch.backends()).length === 0);
  });
});

describe('reads', () => {
  test('are pipelined on one connection', async () => {
    const counter = await startCounter();
    const database = await scratch.open({ connections: 2 }, counter.url);
    await addRex(database);
    await list(database);
    await counter.reset(2);
    await list(database);
    const bytesOfOne = counter.counted['to server'];
    await counter.reset(2);
    const unlock = await lockPets();
    const reads = Array.from({ length: 50 }, () => list(database));
    await until(() => counter.counted['to server'] >= 50 * bytesOfOne);
    expect(counter.counted['to client']).toBe(0);
    await unlock();
    for (const pets of await Promise.all(reads)) expect(pets).toEqual([{ id: 1, ...rex() }]);
    await database.close();
    await counter.close();
  });

  test('use an idle connection, a new one, or the one with the fewest statements', async () => {
    const pool = new SharedPool({ url: scratch.url, prepared: true, serverTimeoutMs: 0 }, 2);
    const read = () => pool.choose().query('SELECT 1', [], deadlineIn(20_000));
    await read();
    const reads = Array.from({ length: 5 }, read);
    expect(pool.choose().pending).toBe(2);
    const measured = { name: 'read', open: 2, busy: 2, waiting: 3, limit: 2 };
    expect(pool.measure('read')).toEqual(measured);
    await Promise.all(reads);
    await pool.end(deadlineIn(20_000));
  });

  test('fail after the timeout, and are retried if their connection is lost', async () => {
    const hasty = await scratch.open({ timeoutMs: 2_000 });
    const database = await scratch.open({ connections: 2 });
    const unlock = await lockPets();
    expect((await failureOf(countPets(hasty))).failure).toBe('unavailable');
    await until(async () => (await scratch.backends('Lock')).length === 0);
    const reads = Array.from({ length: 20 }, () => countPets(database));
    await until(async () => (await scratch.backends('Lock')).length === 1);
    await scratch.endBackends();
    await unlock();
    expect(await Promise.all(reads)).toEqual(Array(20).fill(0));
  });
});

describe.each([
  ['prepared', true],
  ['not prepared', false],
])('statements that are %s', (_how, prepared) => {
  test('read and write exact 64-bit integers', async () => {
    const database = await scratch.open({ prepared });
    const ids = INT64_EDGES.map(int64);
    const added = await Promise.all(
      ids.map((categoryId) =>
        database.write(BY_TEST, ({ pets }) => pets.create(rex({ categoryId }))),
      ),
    );
    expect(await readAll(database)).toStrictEqual(inOrder(added));
    expect(await exportPets(database)).toStrictEqual(inOrder(added));
    for (const categoryId of ids) {
      const found = await database.read.pets.list(ascending({ categoryId }), undefined, 10);
      expect(found.map((pet) => pet.categoryId)).toStrictEqual([categoryId]);
    }
  });

  test('are in the session as prepared statements, or not', async () => {
    await using own = await openMigratedScratch();
    await own.sql.unsafe(`CREATE TABLE seen AS SELECT 0::bigint AS prepared;
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE public.seen SET prepared = (SELECT count(*) FROM pg_prepared_statements); RETURN NULL;
      END $$;
      CREATE TRIGGER see AFTER UPDATE ON animal_store.pets FOR EACH ROW EXECUTE FUNCTION see()`);
    const database = await own.open({ prepared });
    const { id } = await addRex(database);
    for (const name of ['Mia', 'Max'])
      await database.write(BY_TEST, ({ pets }) => pets.replace({ ...rex({ name }), id }));
    const [row] = await own.sql`SELECT prepared::int FROM seen`;
    expect((row?.['prepared'] as number) > 0).toBe(prepared);
    expect((await readAll(database)).map(({ name }) => name)).toEqual(['Max']);
  });
});
