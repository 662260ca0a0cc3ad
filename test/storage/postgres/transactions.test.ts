import { describe, expect, spyOn, test } from 'bun:test';
import type { Database, Stores } from '../../../src/storage/database.ts';
import { deadlineIn, serverTimeoutMs } from '../../../src/storage/postgres/connections/deadline.ts';
import { ExclusivePool } from '../../../src/storage/postgres/connections/pools.ts';
import { Transactions } from '../../../src/storage/postgres/transactions/transactions.ts';
import { countPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { startService } from '../../support/service.ts';
import { readAll, rex } from '../animals.ts';
import { engineOf, failureOf, gate, useScratch } from './scratch.ts';

const scratch = useScratch();

const addRex = ({ pets }: Stores, name = 'Rex') => pets.create(rex({ name, status: 'available' }));
const names = async (database: Database) => (await readAll(database)).map(({ name }) => name);

/** Resolves when all sessions of the engine are idle, outside of a transaction. */
const untilIdle = () =>
  until(async () => (await scratch.backends()).every(({ state }) => state === 'idle'));

describe('a transaction', () => {
  test('whose work throws is rolled back, and rejects with the same error', async () => {
    const database = await scratch.open();
    const failing = database.write(BY_TEST, async (stores) => {
      await addRex(stores);
      throw new TypeError('no');
    });
    await expect(failing).rejects.toThrow(new TypeError('no'));
    expect(await names(database)).toEqual([]);
    await untilIdle();
  });

  test.each(['before the work is done', 'after the work is done'])(
    'with an unawaited statement that failed %s fails, and the next one succeeds',
    async (when) => {
      const database = await scratch.open();
      const writing = database.write(BY_TEST, async (stores) => {
        const failing = stores.pets.create(rex({ name: 'x'.repeat(256) })) as Promise<unknown>;
        const failed = failing.catch(() => {});
        if (when.startsWith('before')) await failed;
        return 'done';
      });
      const reason = when.startsWith('before') ? 'check constraint' : 'COMMIT returned ROLLBACK';
      await expect(writing).rejects.toThrow(reason);
      await database.write(BY_TEST, (stores) => addRex(stores, 'Mia'));
      expect(await names(database)).toEqual(['Mia']);
    },
  );
});

describe('a connection that is lost during COMMIT', () => {
  /** The text of COMMIT only: that of BEGIN contains `READ COMMITTED`. */
  const COMMIT = 'COMMIT\0';

  test('fails a write whose outcome is unknown, and does not repeat it', async () => {
    const { forwarder, database } = await scratch.openThrough();
    const cut = forwarder.cutWhen(COMMIT);
    const { failure, message } = await failureOf(
      database.write(BY_TEST, (stores) => addRex(stores)),
    );
    await cut;
    expect(failure).toBe('unavailable');
    expect(message).toContain('during a commit');
    await until(async () => (await countPets(database)) > 0);
    await database.write(BY_TEST, (stores) => addRex(stores, 'Mia'));
    expect(await names(database)).toEqual(['Rex', 'Mia']);
  });

  test.each<[string, (database: Database) => unknown]>([
    ['moves events', (database) => database.sequenceEvents()],
    ['moves events for a reader', ({ read }) => read.events.feed()],
    ['replaces counts by their sums', (database) => database.compactInventory()],
  ])('is hidden by a retry of what %s', async (_what, work) => {
    const { forwarder, database } = await scratch.openThrough();
    await (await scratch.open()).write(BY_TEST, (stores) => addRex(stores));
    const cut = forwarder.cutWhen(COMMIT);
    await work(database);
    await cut;
  });

  test('is hidden by a retry of a request with an Idempotency-Key, which is executed once', async () => {
    const { forwarder, database } = await scratch.openThrough();
    const service = await startService({ engine: engineOf(async () => database) });
    const send = () =>
      service.request('POST', '/v1/pets', { headers: { 'Idempotency-Key': 'one' }, body: rex() });
    const cut = forwarder.cutWhen(COMMIT);
    const response = await send();
    await cut;
    expect([response.status, response.json]).toEqual([201, { id: 1, ...rex() }]);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect((await send()).text).toBe(response.text);
    expect(await names(database)).toEqual(['Rex']);
  });
});

describe('a write that takes too long', () => {
  const TIMEOUT_MS = 2_000;

  test('has a shorter time at the server if it waited for its connection', async () => {
    const options = { url: scratch.url, prepared: true, serverTimeoutMs: serverTimeoutMs(60_000) };
    const pool = new ExclusivePool(options, 1);
    const timeoutIn = (deadline?: number) =>
      new Transactions(pool, 60_000).run(
        async (run) => Object.values((await run<object>('SHOW statement_timeout'))[0] ?? {})[0],
        false,
        deadline,
      );
    expect(await timeoutIn()).toBe('54s');
    expect(await timeoutIn(deadlineIn(30_000))).toMatch(/^2[0-7]/);
    // 0 would be none.
    expect(serverTimeoutMs(0)).toBe(1);
    await pool.end(deadlineIn(20_000));
  });

  /** Fails after the timeout, and leaves no lock. */
  async function expectTimeout(database: Database, work: (stores: Stores) => Promise<unknown>) {
    const startedMs = performance.now();
    const { failure } = await failureOf(database.write(BY_TEST, work));
    expect(failure).toBe('unavailable');
    expect(performance.now() - startedMs).toBeLessThan(TIMEOUT_MS * 10);
    await untilIdle();
  }

  test('because of a lock of another session fails, and succeeds after its release', async () => {
    const database = await scratch.open({ connections: 2, timeoutMs: TIMEOUT_MS });
    const { id } = await database.write(BY_TEST, (stores) => addRex(stores));
    const release = await scratch.hold('SELECT FROM animal_store.pets FOR UPDATE');
    const rename = async ({ pets }: Stores) => {
      const pet = await pets.get(id);
      if (pet) await pets.replace({ ...pet, name: 'Mia' });
    };
    await expectTimeout(database, rename);
    await release();
    await database.write(BY_TEST, rename);
    expect(await names(database)).toEqual(['Mia']);
  });

  test('between two statements is rolled back by the server, and runs again', async () => {
    // The server ends the session after nine tenths of the time. Here, the second run has more than the rest.
    const now = spyOn(performance, 'now').mockReturnValue(performance.now());
    const database = await scratch.open({ connections: 2, timeoutMs: TIMEOUT_MS });
    const [added, hanging] = [gate(), gate()];
    const writing = database.write(BY_TEST, async (stores) => {
      await addRex(stores);
      added.open();
      await hanging.opened;
    });
    await added.opened;
    await untilIdle();
    hanging.open();
    await writing;
    now.mockRestore();
    await database.write(BY_TEST, (stores) => addRex(stores, 'Mia'));
    expect(await names(database)).toEqual(['Rex', 'Mia']);
  });
});
