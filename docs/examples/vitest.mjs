// The test of docs/recipes.md with Vitest. Save it as shop.test.mjs. With bun test, replace 'vitest' by 'bun:test'.
import { AnimalStore } from '@animal-store/client';
import { startStore } from 'animal-store/testing';
import { expect, test } from 'vitest';

const store = new AnimalStore(await startStore());

test('an animal is sold once', async () => {
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: id, status: 'delivered' });
  await expect(store.orders.place({ petId: id })).rejects.toMatchObject({
    code: 'pet_not_available',
  });
});
