/** A pooler between the program and PostgreSQL: refused with prepared statements, supported without. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { Observation, Observe } from '../../../src/observe/observation.ts';
import type { Pet } from '../../../src/pets/pet.ts';
import { copyCatalogue } from '../../../src/transfer/catalogue-copy.ts';
import { exportPets, importPets } from '../../support/catalogue.ts';
import { BY_TEST } from '../../support/cause.ts';
import { ascending } from '../../support/list-query.ts';
import { startPooler } from '../../support/pooler.ts';
import { inOrder, readAll, rex } from '../animals.ts';
import { failureOf, openMigratedScratch, useScratch } from './scratch.ts';

type Pooler = Awaited<ReturnType<typeof startPooler>>;
type PoolerOptions = Parameters<typeof startPooler>[1];

const poolers: Pooler[] = [];

const scratch = useScratch();
afterEach(() => Promise.all(poolers.splice(0).map((pooler) => pooler.close())));

/** A pooler in front of the scratch database, and its URL. */
async function pooled(options: PoolerOptions) {
  const pooler = await startPooler(scratch.server, options);
  poolers.push(pooler);
  return { pooler, url: scratch.server.url(scratch.name, { port: pooler.port }) };
}

const POOLERS: [string, PoolerOptions][] = [
  ['ignores startup parameters', { parameters: 'ignored', sessions: 'dedicated' }],
  ['refuses startup parameters', { parameters: 'refused', sessions: 'dedicated' }],
  [
    'forwards startup parameters and swaps sessions',
    { parameters: 'forwarded', sessions: 'shared' },
  ],
  ['ignores startup parameters and swaps sessions', { parameters: 'ignored', sessions: 'shared' }],
];

describe.each(POOLERS)('a pooler that %s', (_how, options) => {
  test('is refused with prepared statements, and the message names the setting', async () => {
    const { url, pooler } = await pooled(options);
    const { failure, message } = await failureOf(scratch.open({}, url));
    expect(failure).toBe('refused');
    expect(message).toMatch(/^[^\n]* DATABASE_PREPARED=off\.$/);
    expect(pooler.received()).not.toContain('animal_store');
  });

  test('works without prepared statements under concurrent requests', async () => {
    const { url } = await pooled(options);
    const database = await scratch.open({ prepared: false, connections: 4 }, url);
    const pets = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const pet = rex({ name: `animal ${index}`, categoryId: index % 3 });
        return database.write(BY_TEST, (stores) => stores.pets.create(pet));
      }),
    );
    const read = pets.map(async (pet) => {
      const { id, categoryId } = pet;
      const inCategory = inOrder(pets.filter((other) => other.categoryId === categoryId));
      expect(await database.read.pets.get(id)).toEqual(pet);
      expect(await database.read.pets.list(ascending({ id: [id] }), undefined, 10)).toEqual([pet]);
      expect(await database.read.pets.list(ascending({ categoryId }), undefined, 100)).toEqual(
        inCategory,
      );
    });
    await Promise.all(read);
    const sell = async (pet: Pet) => {
      const sold: Pet = { ...pet, status: 'sold' };
      await database.write(BY_TEST, async (stores) => {
        expect(await stores.pets.get(pet.id)).toEqual(pet);
        await stores.pets.replace(sold);
        expect(await stores.pets.get(pet.id)).toEqual(sold);
      });
      return sold;
    };
    const sold = await Promise.all(pets.map(sell));
    expect(await readAll(database)).toEqual(inOrder(sold));
  });
});

test('a pooler that shares sessions between statements is refused, also without prepared ones', async () => {
  const { url } = await pooled({ parameters: 'ignored', sessions: 'without transactions' });
  const { failure, message } = await failureOf(scratch.open({ prepared: false }, url));
  expect([failure, message]).toEqual(['refused', expect.stringContaining('set its pool_mode to')]);
});

/** One that hides least: real ones are in the drill of PgBouncer. */
describe.each(POOLERS.slice(-1))('a pooler that %s', (_how, options) => {
  test('works without prepared statements for simultaneous imports, exports and copies', async () => {
    const { url, pooler } = await pooled(options);
    const database = await scratch.open({ prepared: false }, url);
    const parts = ['a', 'b'].map((name) => Array.from({ length: 1_500 }, () => rex({ name })));
    await Promise.all(parts.map((part) => importPets(database, part)));
    const exported = await exportPets(database);
    expect(Map.groupBy(exported, ({ name }) => name).size).toBe(2);
    // The sessions of the pooler have schemas of temporary tables now.
    await (await scratch.open({ prepared: false }, url)).close();
    expect(exported).toEqual(await readAll(database));
    const target = await openMigratedScratch();
    const through = await startPooler(target.server, options);
    poolers.push(through);
    const copy = await target.open(
      { prepared: false },
      target.server.url(target.name, { port: through.port }),
    );
    // The source is in use as long as the pooler keeps the sessions of its clients.
    await database.close();
    await pooler.close();
    const direct = await scratch.open();
    await direct.close();
    const [from, to] = [await direct.transfer.openSource(), await copy.transfer.openWriter()];
    expect((await copyCatalogue(from, to, () => {})).isNew).toBe(true);
    await Promise.all([from.close(), to.close()]);
    expect(await exportPets(copy)).toEqual(exported);
    await target.remove();
  });

  test('is sent no statement and reported once, if connections lead to it later', async () => {
    const { pooler } = await pooled(options);
    const observed: Observation[] = [];
    const observe: Observe = (observation) => observed.push(observation);
    const opened = await scratch.openThrough({ timeoutMs: 1_000, observe });
    const { database, forwarder, url } = opened;
    const add = () => database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    const pet = await add();
    forwarder.retarget(pooler.port);
    const tries = [add, () => database.read.pets.get(pet.id), () => database.checkHealth()];
    await Promise.all(tries.map((work) => failureOf(Promise.resolve(work()))));
    expect(pooler.received()).not.toContain('animal_store');
    expect(observed).toEqual([
      {
        kind: 'connection_rejected',
        database: url,
        reason: expect.stringMatching(/ pooler that .* DATABASE_PREPARED=off\.$/),
      },
    ]);
    forwarder.retarget(scratch.server.port);
    await database.checkHealth();
    expect(await readAll(database)).toEqual([pet]);
  });

  test('in front of a standby is sent no statement and reported, and the primary serves reads', async () => {
    const { pooler, url } = await pooled(options);
    const observed: Observation[] = [];
    const observe: Observe = (observation) => observed.push(observation);
    const database = await scratch.open({ standbyUrls: [url], observe });
    const pet = await database.write(BY_TEST, ({ pets }) => pets.create(rex()));
    expect(await database.read.pets.get(pet.id)).toEqual(pet);
    expect(pooler.received()).not.toContain('pg_last_wal_replay_lsn');
    expect(observed).toMatchObject([
      { kind: 'connection_rejected', database: url },
      { kind: 'standby_left_out', database: url },
    ]);
  });
});
