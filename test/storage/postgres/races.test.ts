/** Two instances that do the same in the same moment: what nobody can lock, since it is not there yet. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { hashKey } from '../../../src/api-keys/api-key.ts';
import type { IdempotencyScope } from '../../../src/idempotency/idempotency-record-store.ts';
import type { Database, Stores } from '../../../src/storage/database.ts';
import { countPets } from '../../support/catalogue.ts';
import { readAll, rex } from '../animals.ts';
import { eventually, gate, meeting, openScratch, type Scratch } from './scratch.ts';

let scratch: Scratch;
let both: readonly [Database, Database];
beforeEach(async () => {
  scratch = await openScratch();
  both = [await scratch.open(), await scratch.open()];
});
afterEach(() => scratch.remove());

const addRex = ({ pets }: Stores) => pets.create(rex());

/** Both look, and go on when both have looked. What each found, and the first one that did it. */
async function race<T>(work: (stores: Stores, looked: () => Promise<void>) => Promise<T>) {
  const looked = meeting(2);
  return Promise.all(both.map((database) => database.write((stores) => work(stores, looked))));
}

test('they keep one answer between them: the other finds it', async () => {
  const key = { name: 'k', hint: 'k', scopes: [], createdAt: 0, expiresAt: null } as const;
  const { id: keyId } = await both[0].write(({ apiKeys }) =>
    apiKeys.create({ ...key, hash: hashKey('k') }),
  );
  const scope: IdempotencyScope = { keyId, operation: 'POST /v1/pets', idempotencyKey: 'one' };
  const fingerprint = hashKey('');
  const outcomes = await race(async (stores, looked) => {
    const kept = await stores.idempotencyRecords.find(scope);
    await looked();
    if (kept) return Buffer.from(kept.response).toString();
    const { id } = await addRex(stores);
    const response = Buffer.from(`animal ${id}`);
    await stores.idempotencyRecords.save(scope, { fingerprint, response, savedAt: 0 });
    return response.toString();
  });
  const [pet] = await readAll(both[0]);
  expect(outcomes).toEqual([`animal ${pet?.id}`, `animal ${pet?.id}`]);
  expect(await countPets(both[0])).toBe(1);
});

test('they add one category between them: the other finds it there', async () => {
  const outcomes = await race(async ({ categories }, looked) => {
    const known = await categories.get(5);
    await looked();
    if (known) return 'found';
    await categories.create({ id: 5, name: 'Dogs' });
    return 'added';
  });
  expect(outcomes.toSorted()).toEqual(['added', 'found']);
});

test('they order one animal once: the other finds it held', async () => {
  const times = { createdAt: '2027-01-01T00:00:00.000Z', expiresAt: '2027-01-02T00:00:00.000Z' };
  const outcomes = await race(async ({ orders }, looked) => {
    const isHeld = await orders.holds(1);
    await looked();
    if (isHeld) return 'held';
    await orders.create({ petId: 1, status: 'placed', ...times });
    return 'ordered';
  });
  expect(outcomes.toSorted()).toEqual(['held', 'ordered']);
  expect(await both[0].read.orders.list({}, undefined, 10)).toHaveLength(1);
});

test('they make one first key between them: the other makes none', async () => {
  const first = { name: 'first', hint: 'x', scopes: [], createdAt: 0, expiresAt: null } as const;
  const keys = Array.from({ length: 8 }, (_, index) =>
    (index % 2 ? both[0] : both[1]).write(({ apiKeys }) =>
      apiKeys.createFirst({ ...first, hash: hashKey(`${index}`) }),
    ),
  );
  const made = (await Promise.all(keys)).filter((key) => key !== undefined);
  expect(made).toHaveLength(1);
  expect(await both[1].read.apiKeys.list(undefined, 10)).toHaveLength(1);
});

test('they change different fields of one animal: neither change is lost', async () => {
  const { id } = await both[0].write(addRex);
  const [looked, goOn] = [gate(), gate()];
  const renaming = both[0].write(async ({ pets }) => {
    const pet = await pets.get(id);
    looked.open();
    await goOn.opened;
    if (pet) await pets.replace({ ...pet, name: 'Mia' });
  });
  await looked.opened;
  const selling = both[1].write(async ({ pets }) => {
    const pet = await pets.get(id);
    if (pet) await pets.replace({ ...pet, status: 'sold' });
  });
  await eventually(async () => (await scratch.backends('Lock')).length === 1);
  goOn.open();
  await Promise.all([renaming, selling]);
  expect(await readAll(both[0])).toEqual([{ id, ...rex({ name: 'Mia', status: 'sold' }) }]);
});

test('they end the same orders: each is counted by one of them', async () => {
  const times = { createdAt: '2027-01-01T00:00:00.000Z', expiresAt: '2027-01-02T00:00:00.000Z' };
  for (let petId = 1; petId <= 5; petId += 1)
    await both[0].write(({ orders }) => orders.create({ petId, status: 'placed', ...times }));
  const holder = await scratch.sql.reserve();
  await holder`BEGIN`;
  await holder`SELECT FROM animal_store.orders FOR UPDATE`;
  const now = Date.parse(times.expiresAt);
  const ending = both.map((database) => database.write(({ orders }) => orders.expire(now)));
  await eventually(async () => (await scratch.backends('Lock')).length === 2);
  await holder`COMMIT`;
  holder.release();
  expect((await Promise.all(ending)).toSorted()).toEqual([0, 5]);
});

test('they use a category and remove it: whoever removes it waits, and finds it in use', async () => {
  await both[0].write(({ categories }) => categories.create({ id: 5, name: 'Dogs' }));
  const [looked, goOn] = [gate(), gate()];
  const using = both[0].write(async ({ categories, pets }) => {
    expect(await categories.isKnown(5)).toBe(true);
    looked.open();
    await goOn.opened;
    await pets.create(rex({ categoryId: 5 }));
  });
  await looked.opened;
  const removing = both[1].write(async ({ categories }) => {
    await categories.get(5);
    return (await categories.isInUse(5)) ? 'in use' : categories.remove(5);
  });
  await eventually(async () => (await scratch.backends('Lock')).length === 1);
  goOn.open();
  await using;
  expect(await removing).toBe('in use');
});

test('they both succeed where each waits for the other: the server ends one, which is run again', async () => {
  await scratch.sql`ALTER DATABASE ${scratch.sql(scratch.name)} SET deadlock_timeout = '20ms'`;
  both = [await scratch.open(), await scratch.open()];
  for (const _ of both) await both[0].write((stores) => addRex(stores));
  const looked = meeting(2);
  let attempts = 0;
  const locking = (database: Database, ids: readonly number[]) =>
    database.write(async ({ pets }) => {
      attempts += 1;
      for (const id of ids) {
        const pet = await pets.get(id);
        if (pet) await pets.replace({ ...pet, name: `${pet.name}!` });
        await looked();
      }
    });
  await Promise.all([locking(both[0], [1, 2]), locking(both[1], [2, 1])]);
  expect(attempts).toBe(3);
  expect((await readAll(both[0])).map(({ name }) => name)).toEqual(['Rex!!', 'Rex!!']);
});
