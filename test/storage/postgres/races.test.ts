/** Two instances do the same simultaneously, also with rows that do not exist yet and so cannot be locked. */
import { beforeAll, expect, test } from 'bun:test';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import type { IdempotencyScope } from '../../../src/idempotency/idempotency-record-store.ts';
import type { Database, Stores } from '../../../src/storage/database.ts';
import { countPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { until } from '../../support/process.ts';
import { readAll, rex } from '../animals.ts';
import { newKey } from '../new-key.ts';
import { barrier, gate, useScratch } from './scratch.ts';

const scratch = useScratch();
let both: readonly [Database, Database];
beforeAll(async () => {
  both = [await scratch.openShared(), await scratch.openShared()];
});

const addRex = ({ pets }: Stores) => pets.create(rex());

/** Runs `work` on both instances. `bothRead` resolves when both have called it. */
async function race<T>(work: (stores: Stores, bothRead: () => Promise<void>) => Promise<T>) {
  const bothRead = barrier(2);
  return Promise.all(
    both.map((database) => database.write(BY_TEST, (stores) => work(stores, bothRead))),
  );
}

test('one idempotency record is saved, and the other instance finds it', async () => {
  const { id: keyId } = await both[0].write(BY_TEST, ({ apiKeys }) => apiKeys.create(newKey('k')));
  const scope: IdempotencyScope = { keyId, operation: 'POST /v1/pets', idempotencyKey: 'one' };
  const fingerprint = hashKey('');
  const outcomes = await race(async (stores, bothRead) => {
    const record = await stores.idempotencyRecords.find(scope);
    await bothRead();
    if (record) return Buffer.from(record.response).toString();
    const { id } = await addRex(stores);
    const response = Buffer.from(`animal ${id}`);
    await stores.idempotencyRecords.save(scope, { fingerprint, response, savedAt: 0 });
    return response.toString();
  });
  const [pet] = await readAll(both[0]);
  expect(outcomes).toEqual([`animal ${pet?.id}`, `animal ${pet?.id}`]);
  expect(await countPets(both[0])).toBe(1);
});

test('one first key is created', async () => {
  const keys = Array.from({ length: 8 }, (_, index) =>
    (index % 2 ? both[0] : both[1]).write(BY_TEST, ({ apiKeys }) =>
      apiKeys.createFirst(newKey(`${index}`)),
    ),
  );
  const created = (await Promise.all(keys)).filter((key) => key !== undefined);
  expect(created).toHaveLength(1);
  expect(await both[1].read.apiKeys.list(undefined, 10)).toHaveLength(1);
});

test('each expired order is counted once', async () => {
  const times = { createdAt: '2027-01-01T00:00:00.000Z', expiresAt: '2027-01-02T00:00:00.000Z' };
  for (let petId = 1; petId <= 5; petId += 1)
    await both[0].write(BY_TEST, ({ orders }) =>
      orders.create({ petId, status: 'placed', ...times }),
    );
  const release = await scratch.hold('SELECT FROM animal_store.orders FOR UPDATE');
  const now = Date.parse(times.expiresAt);
  const expiring = both.map(
    async (database) => (await database.write(BY_TEST, ({ orders }) => orders.expire(now))).length,
  );
  await until(async () => (await scratch.backends('Lock')).length === 2);
  await release();
  expect((await Promise.all(expiring)).toSorted()).toEqual([0, 5]);
});

test('nobody adds an animal while an import that keeps its ids commits', async () => {
  // As a transaction that adds an animal holds it.
  const release = await scratch.hold('LOCK TABLE animal_store.pets IN ROW EXCLUSIVE MODE');
  const untilWaiting = (count: number) =>
    until(async () => (await scratch.backends('Lock')).length === count);
  const transfer = await both[0].transfer.beginImport(() => BY_TEST);
  await transfer.add([{ id: 9, ...rex() }]);
  const imported = transfer.commit();
  await untilWaiting(1);
  const added = both[1].addPet(BY_TEST, rex());
  await untilWaiting(2);
  await release();
  expect([await imported, (await added).id]).toEqual([1, 10]);
});

test.each([
  ['one', (id: number, stores: Stores) => stores.categories.isKnown(id)],
  [
    'many',
    async (id: number, stores: Stores) => (await stores.categories.knownAmong([3, id])).has(id),
  ],
])('removing a category waits for its use by %s, and finds it in use', async (_count, isKnown) => {
  await both[0].write(BY_TEST, ({ categories }) => categories.create({ id: 5, name: 'Dogs' }));
  const [read, proceed] = [gate(), gate()];
  const using = both[0].write(BY_TEST, async (stores) => {
    expect(await isKnown(5, stores)).toBe(true);
    read.open();
    await proceed.opened;
    await stores.pets.create(rex({ categoryId: 5 }));
  });
  await read.opened;
  const removing = both[1].write(BY_TEST, async ({ categories }) => {
    await categories.get(5);
    return (await categories.isInUse(5)) ? 'in use' : categories.remove(5);
  });
  await until(async () => (await scratch.backends('Lock')).length === 1);
  proceed.open();
  await using;
  expect(await removing).toBe('in use');
});

test('a deadlock is resolved by a retry of one transaction', async () => {
  await scratch.sql`ALTER DATABASE ${scratch.sql(scratch.name)} SET deadlock_timeout = '20ms'`;
  const own = [await scratch.open(), await scratch.open()] as const;
  for (const _ of own) await own[0].write(BY_TEST, (stores) => addRex(stores));
  const bothRead = barrier(2);
  let attempts = 0;
  const writes: Promise<void>[] = [];
  const locking = (database: Database, ids: readonly number[]) =>
    database.write(BY_TEST, async ({ pets }) => {
      attempts += 1;
      // The other transaction may not have its lock yet: without this wait, the retry could get it first.
      if (attempts > 2) await Promise.any(writes);
      for (const id of ids) {
        const pet = await pets.get(id);
        if (pet) await pets.replace({ ...pet, name: `${pet.name}!` });
        await bothRead();
      }
    });
  writes.push(locking(own[0], [1, 2]), locking(own[1], [2, 1]));
  await Promise.all(writes);
  expect(attempts).toBe(3);
  expect((await readAll(own[0])).map(({ name }) => name)).toEqual(['Rex!!', 'Rex!!']);
});
