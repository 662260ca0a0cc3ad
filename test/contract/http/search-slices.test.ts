/** A search by name looks at slices of the animals, and ends before the next one if nobody waits for it. */
import { beforeEach, expect, spyOn, test } from 'bun:test';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MaybePromise } from '../../../src/maybe-promise.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import type { PetReader } from '../../../src/pets/pet-store.ts';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { startService } from '../../support/service.ts';
import { listen, statusOf } from '../../support/socket.ts';
import { inTime } from '../in-time.ts';
import { withMethods } from '../with-methods.ts';

/** Adds the animals of two slices. */
const addAnimals = (database: Database) =>
  importPets(database, Array(1_500).fill({ name: 'Rex', categoryId: 1 }));

/** No animal has this name. */
const MISS = '/v1/pets?name=nobody';

/** The API keys that asked for a slice, in the order of the slices. */
let slices: number[];
/** The last search. */
let search: MaybePromise<Pet[]> | undefined;
/** Resolves when a search has begun that waits until nobody waits for its response. Undefined: searches do not wait. */
let delayed: PromiseWithResolvers<void> | undefined;
beforeEach(() => {
  slices = [];
  delayed = undefined;
});

/** A real storage that counts the slices: a search asks before each one whether it must end. */
function countSlices(database: Database): Database {
  const { pets } = database.read;
  const list: PetReader['list'] = (query, afterId, count, asker) => {
    if (asker === undefined) throw new Error('Nobody asks.');
    const isGone = () => {
      slices.push(asker.keyId);
      return asker.isGone();
    };
    const run = () => pets.list(query, afterId, count, { keyId: asker.keyId, isGone });
    const runLate = async () => {
      delayed?.resolve();
      while (!asker.isGone()) await nextTurn();
      return run();
    };
    search = delayed ? runLate() : run();
    return search;
  };
  return { ...database, read: { ...database.read, pets: withMethods(pets, { list }) } };
}

/** Resolves when the last search has ended. */
const ended = () => inTime('end of the search', Promise.resolve(search));

test('a search ends before its next slice when its client has closed the connection', async () => {
  let database: Database | undefined;
  await using service = await listen({}, (real) => {
    database = real;
    return countSlices(real);
  });
  if (database) await addAnimals(database);
  const head = [`GET ${MISS} HTTP/1.1`, 'Host: x', service.authorization];
  expect(statusOf(await service.request(...head))).toBe(200);
  expect(slices.splice(0)).toHaveLength(2);
  delayed = Promise.withResolvers();
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  socket.write([...head, '', ''].join('\r\n'));
  await inTime('search', delayed.promise);
  socket.destroy();
  await ended();
  expect(slices).toHaveLength(1);
});

test('a search takes the turns of its key, and ends before its next slice when its deadline has passed', async () => {
  await using service = await startService({
    wrap: countSlices,
    options: { requestTimeoutMs: 20 },
  });
  await addAnimals(service.database);
  const { secret, key } = await service.issueKey();
  delayed = Promise.withResolvers();
  const { code } = await service.request('GET', MISS, { key: secret });
  expect(code).toBe('deadline_exceeded');
  await inTime('search', delayed.promise);
  await ended();
  expect(slices).toEqual([Number(key.id)]);
});

test('the cache keeps a search of one slice, and no search of several, which others may have changed', async () => {
  await using service = await startService();
  using lists = spyOn(service.database.read.pets, 'list');
  if (service.database.versionsKeysOnly) return;
  await addAnimals(service.database);
  const readsOf = async (name: string) => {
    lists.mockClear();
    for (let time = 0; time < 4; time += 1) {
      expect((await service.request('GET', `/v1/pets?name=${name}`)).status).toBe(200);
      await nextTurn();
    }
    return lists.mock.calls.length;
  };
  expect(await readsOf('rex')).toBe(2);
  expect(await readsOf('nobody')).toBe(4);
});
