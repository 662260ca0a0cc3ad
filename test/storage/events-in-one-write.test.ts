/** A write that changes a resource several times records each change with the values just before it. */
import { describe, expect, test } from 'bun:test';
import type { Category } from '../../src/categories/category.ts';
import type { Order } from '../../src/orders/order.ts';
import type { Pet } from '../../src/pets/pet.ts';
import { runSteps, type Steps, wait } from '../../src/steps.ts';
import type { Stores } from '../../src/storage/database.ts';
import { BY_TEST } from '../support/cause.ts';
import { ENGINES } from '../support/engines.ts';
import { EVERY } from '../support/list-query.ts';
import { useEach } from '../support/use-each.ts';
import { rex } from './animals.ts';
import { newKey } from './new-key.ts';

const EXPIRES_AT = '2027-01-01T00:30:00.000Z';

describe.each(ENGINES)('in $name', ({ open }) => {
  const storage = useEach(open);

  const write = <T>(steps: (stores: Stores) => Steps<T>): Promise<T> =>
    storage.database.write(BY_TEST, (stores) => runSteps(steps(stores)));

  /** The types of all events, with the values before. */
  async function changes(): Promise<unknown[]> {
    const { events } = storage.database.read;
    await events.feed();
    return (await events.list(EVERY, undefined, 100, true)).map(({ type, content }) => {
      const { previous } = JSON.parse(content) as { previous?: object };
      return previous === undefined ? type : [type, previous];
    });
  }

  test('an animal', async () => {
    await write(function* ({ pets }) {
      const { id } = yield* wait(pets.create(rex({ name: 'a', status: 'sold' })));
      const { status, ...pet } = (yield* wait(pets.get(id))) as Pet;
      for (const name of ['b', 'b', 'c']) yield* wait(pets.replace({ ...pet, status, name }));
      yield* wait(pets.replace({ ...pet, name: 'c' }));
      yield* wait(pets.remove(id));
      yield* wait(pets.remove(id));
    });
    expect(await changes()).toEqual([
      'pet.created',
      ['pet.updated', { name: 'a' }],
      ['pet.updated', { name: 'b' }],
      ['pet.updated', { status: 'sold' }],
      'pet.deleted',
    ]);
  });

  test('a category', async () => {
    await write(function* ({ categories }) {
      const named = (name: string): Category => ({ id: 1, name });
      yield* wait(categories.create(named('a')));
      for (const name of ['b', 'c']) yield* wait(categories.replace(named(name)));
      yield* wait(categories.putAll([named('d')]));
      yield* wait(categories.replace(named('e')));
      yield* wait(categories.remove(1));
      yield* wait(categories.remove(1));
    });
    expect(await changes()).toEqual([
      'category.created',
      ['category.updated', { name: 'a' }],
      ['category.updated', { name: 'b' }],
      'categories.imported',
      ['category.updated', { name: 'd' }],
      'category.deleted',
    ]);
  });

  test('an order and its animal, which expire in between', async () => {
    await write(function* ({ pets, orders }) {
      const created = yield* wait(pets.create(rex({ status: 'pending' })));
      const pet = (yield* wait(pets.get(created.id))) as Pet;
      const order: Order = yield* wait(
        orders.create({
          petId: pet.id,
          status: 'placed',
          createdAt: '2027-01-01T00:00:00.000Z',
          expiresAt: EXPIRES_AT,
        }),
      );
      yield* wait(orders.expire(Date.parse(EXPIRES_AT), { petId: pet.id }));
      yield* wait(pets.replace({ ...pet, status: 'sold' }));
      yield* wait(
        orders.replace({ ...order, status: 'expired', endedAt: EXPIRES_AT, note: 'Late.' }),
      );
    });
    expect(await changes()).toEqual([
      'pet.created',
      'order.placed',
      ['order.expired', { status: 'placed', endedAt: null }],
      ['pet.updated', { status: 'pending' }],
      ['pet.updated', { status: 'available' }],
      'order.updated',
    ]);
  });

  test('the first key, which ends before the grace period of its rotation', async () => {
    await write(function* ({ apiKeys }) {
      const key = yield* wait(apiKeys.createFirst(newKey('first', { expiresAt: 5 })));
      yield* wait(apiKeys.createFirst(newKey('second')));
      const { id = 0 } = key ?? {};
      for (const time of [9, 9]) yield* wait(apiKeys.endBy(id, time));
      for (const time of [2, 3]) yield* wait(apiKeys.revoke(id, time));
    });
    expect(await changes()).toEqual([
      'api_key.created',
      'api_key.rotated',
      ['api_key.revoked', { revokedAt: null }],
    ]);
  });
});
