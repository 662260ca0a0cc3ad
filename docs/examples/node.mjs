// The test of docs/recipes.md with node --test. Save it as shop.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnimalStore } from '@animal-store/client';
import { startStore } from 'animal-store/testing';

const store = new AnimalStore(await startStore());

test('an animal is sold once', async () => {
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: id, status: 'delivered' });
  await assert.rejects(store.orders.place({ petId: id }), { code: 'pet_not_available' });
});
