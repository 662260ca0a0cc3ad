/** A search by name looks at slices of the animals. Before each slice it may end, and others have their turns. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Asker } from '../../../src/http/contract/list-query.ts';
import type { MaybePromise } from '../../../src/maybe-promise.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import type { PetReader } from '../../../src/pets/pet-store.ts';
import type { Database } from '../../../src/storage/database.ts';
import { importPets } from '../../support/catalogue.ts';
import { startService, type TestService, type TestServiceOptions } from '../../support/service.ts';
import { bodyOf, listen, type SocketService, statusOf } from '../../support/socket.ts';
import { useCounting } from '../counted-lists.ts';
import { inTime } from '../in-time.ts';
import { withMethods } from '../with-methods.ts';

const startCounting = useCounting();

/** Two slices. */
const FEW = 1_500;

/** Three slices. */
const MANY = 22_000;

const addAnimals = (database: Database, count: number) =>
  importPets(database, Array(count).fill({ name: 'Rex', categoryId: 1 }));

/** No animal has this name. */
const MISS = '/v1/pets?name=nobody';

/** The API keys that asked for a slice, in the order of the slices. */
let slices: number[] = [];
/** The last search. */
let search: MaybePromise<Pet[]> | undefined;
/** What a search waits for before its first slice. */
let isDelayed: (asker: Asker) => Promise<void> | undefined;

beforeEach(() => {
  slices = [];
  search = undefined;
  isDelayed = () => undefined;
});

/** A real storage that counts the slices: a search asks before each one whether it must end. */
function countSlices(database: Database): Database {
  const { pets } = database.read;
  const list: PetReader['list'] = (query, afterId, count, asker) => {
    if (asker === undefined) throw new Error('Nobody asks.');
    const { keyId } = asker;
    const isGone = () => {
      slices.push(keyId);
      return asker.isGone();
    };
    const run = () => pets.list(query, afterId, count, { keyId, isGone });
    search = isDelayed(asker)?.then(run) ?? run();
    return search;
  };
  return { ...database, read: { ...database.read, pets: withMethods(pets, { list }) } };
}

/** Delays the next search until nobody waits for its response. Resolves when the search is delayed. */
function delayUntilGone(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  isDelayed = async ({ isGone }) => {
    resolve();
    while (!isGone()) await nextTurn();
  };
  return inTime('search', promise);
}

describe('over a socket', () => {
  let service: SocketService;
  beforeAll(async () => {
    let database: Database | undefined;
    service = await listen({}, (real) => {
      database = real;
      return countSlices(real);
    });
    if (database) await addAnimals(database, FEW);
  });
  afterAll(() => service.close());

  const head = () => [`GET ${MISS} HTTP/1.1`, 'Host: x', service.authorization];

  test('a search looks at all animals while its client waits', async () => {
    const response = await service.request(...head());
    expect([statusOf(response), bodyOf(response)]).toEqual([200, '[]']);
    expect(slices).toHaveLength(2);
  });

  test('a search ends before its next slice when its client has closed the connection', async () => {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    const isStarted = delayUntilGone();
    socket.write([...head(), '', ''].join('\r\n'));
    await isStarted;
    socket.destroy();
    await inTime('end of the search', Promise.resolve(search));
    expect(slices).toHaveLength(1);
  });
});

/** Runs a test with a service that has animals. */
const withAnimals =
  (count: number, options: TestServiceOptions, work: (service: TestService) => Promise<void>) =>
  async () => {
    const service = await startService({ wrap: countSlices, ...options });
    try {
      await addAnimals(service.database, count);
      await work(service);
    } finally {
      await service.close();
    }
  };

test(
  'a search of one key has its turns between those of another key',
  withAnimals(MANY, {}, async (service) => {
    const { secret, key } = await service.issueKey();
    const send = async (options = {}) =>
      expect((await service.request('GET', MISS, options)).json).toEqual([]);
    await Promise.all([...Array.from({ length: 5 }, () => send()), send({ key: secret })]);
    expect(slices).toHaveLength(6 * 3);
    const places = slices.flatMap((keyId, place) => (keyId === key.id ? [place] : []));
    expect(places).toHaveLength(3);
    // PostgreSQL reads two slices at once, of which one may be short.
    if (service.database.versionsKeysOnly) return;
    const waits = places.slice(1).map((place, index) => place - (places[index] ?? 0));
    expect(waits).toEqual([2, 2]);
  }),
);

test(
  'a search ends before its next slice when its deadline has passed',
  withAnimals(FEW, { options: { requestTimeoutMs: 20 } }, async (service) => {
    const isStarted = delayUntilGone();
    expect((await service.request('GET', MISS)).code).toBe('deadline_exceeded');
    await isStarted;
    await inTime('end of the search', Promise.resolve(search));
    expect(slices).toHaveLength(1);
  }),
);

test('the cache keeps a search of one slice, and no search of several, which others may have changed', async () => {
  const { service, reads } = await startCounting();
  if (service.database.versionsKeysOnly) return;
  await addAnimals(service.database, FEW);
  const readsOf = async (name: string) => {
    const before = reads.lists;
    for (let time = 0; time < 4; time += 1) {
      expect((await service.request('GET', `/v1/pets?name=${name}`)).status).toBe(200);
      await nextTurn();
    }
    return reads.lists - before;
  };
  expect(await readsOf('rex')).toBe(2);
  expect(await readsOf('nobody')).toBe(4);
});
