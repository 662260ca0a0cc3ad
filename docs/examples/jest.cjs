// The test of docs/recipes.md with Jest. Save it as shop.test.js.
const { AnimalStore } = require('@animal-store/client');
const { startStore } = require('animal-store/testing');

let store;
beforeAll(async () => {
  store = new AnimalStore(await startStore());
});

test('an animal is sold once', async () => {
  const { id } = await store.pets.create({ name: 'Rex', categoryId: 1, status: 'available' });
  await store.orders.place({ petId: id, status: 'delivered' });
  await expect(store.orders.place({ petId: id })).rejects.toMatchObject({
    code: 'pet_not_available',
  });
});
