import type { Int64Mode } from '../../sdk/src/index.ts';
import { type Context, equal, rejection, type Scenario } from './scenarios.ts';

const LIMITS = [9223372036854775807n, -9223372036854775808n, 9007199254740993n, 5n];

/** Sends an animal through creation, list, edit and fetch in one representation of integers. */
async function roundTrip<Mode extends Int64Mode>(
  { storeWith, uniqueName }: Context,
  int64: Mode,
  represent: (value: bigint) => unknown,
): Promise<void> {
  const store = storeWith({ int64 });
  const many = LIMITS.map((categoryId) => ({ name: uniqueName(), categoryId }));
  const added = await store.pets.createMany(many);
  equal(
    added.map(({ categoryId }) => categoryId),
    LIMITS.map(represent),
  );
  for (const categoryId of LIMITS) {
    const expected = represent(categoryId);
    const created = await store.pets.create({ name: uniqueName(), categoryId });
    equal(created.categoryId, expected);
    for await (const pet of store.pets.list({ id: [created.id], categoryId })) equal(pet, created);
    // The value returns to the service as it came.
    const moved = await store.pets.edit(created.id, () => ({
      categoryId: created.categoryId,
      status: 'sold',
    }));
    equal(moved, { ...created, status: 'sold' });
    equal((await store.pets.get(created.id)).categoryId, expected);
    const category = await store.categories.put(categoryId, { name: 'exact' });
    equal(await store.categories.get(category.id), { id: expected, name: 'exact' });
    const { sold } = await store.inventory.get({ categoryId });
    equal([typeof sold, sold > 0], ['number', true]);
    for await (const { id, counts } of store.categories.list())
      if (id === expected) equal(counts.sold, sold);
  }
}

export const USAGE_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'the limits of 64-bit integers survive creation, list and edit': async (context) => {
    const isSafe = (value: bigint) =>
      BigInt(Number(value)) === value && Math.abs(Number(value)) < 2 ** 53;
    await roundTrip(context, 'auto', (value) => (isSafe(value) ? Number(value) : value));
    await roundTrip(context, 'bigint', (value) => value);
    const small = await context
      .storeWith({ int64: 'number' })
      .pets.create({ name: 'Rex', categoryId: 1 });
    equal([typeof small.id, small.categoryId], ['number', 1]);
    const large = { name: 'Max', categoryId: 2n ** 53n };
    const error = await rejection(context.storeWith({ int64: 'number' }).pets.create(large));
    equal(error.message.startsWith('categoryId: 9007199254740992 is not a safe integer.'), true);
    await roundTrip(context, 'string', String);
  },

  'a response shows its headers': async ({ store, uniqueName }) => {
    const idempotencyKey = uniqueName().replaceAll(' ', '-');
    const name = `${uniqueName()} Ærøskøbing 猫 🐾 "quoted" \\ \u2028`;
    const call = store.pets.create({ name, categoryId: 1 }, { idempotencyKey });
    const { data, response } = await call.withResponse();
    equal([response.status, response.replayed], [201, false]);
    equal(typeof response.requestId, 'string');
    equal(response.headers.get('Location')?.endsWith(`/v1/pets/${data.id}`), true);
    const again = await store.pets.get(data.id).withResponse();
    equal([again.data.name, again.response.etag], [name, response.etag]);
  },

  'a change with an old ETag is refused': async ({ store, uniqueName }) => {
    const { data, response } = await store.pets
      .create({ name: uniqueName(), categoryId: 1 })
      .withResponse();
    const ifMatch = response.etag;
    await store.pets.update(data.id, { status: 'pending' }, { ifMatch });
    const error = await rejection(store.pets.update(data.id, { status: 'sold' }, { ifMatch }));
    equal([error.code, error.outcomeUnknown], ['precondition_failed', false]);
    equal((await rejection(store.pets.delete(data.id, { ifMatch }))).code, 'precondition_failed');
    await store.pets.delete(data.id);
    equal((await rejection(store.pets.get(data.id))).code, 'pet_not_found');
  },

  'a category is created and not replaced with ifNoneMatch': async ({ store }) => {
    const id = 4712;
    const create = (name: string) => store.categories.put(id, { name }, { ifNoneMatch: '*' });
    equal((await create('Dogs')).name, 'Dogs');
    const error = await rejection(create('Cats'));
    equal([error.code, error.outcomeUnknown], ['precondition_failed', false]);
    equal((await store.categories.get(id)).name, 'Dogs');
    await store.categories.delete(id);
  },

  'an error has code, message and request id': async ({ sdk, store, storeWith }) => {
    const error = await rejection(store.pets.create({ name: '', categoryId: 1 }));
    equal([error.name, error.code, error.status], ['ApiError', 'validation_failed', 400]);
    equal(error.message, 'name: must not be empty or only white space');
    equal(error instanceof sdk.ApiError && error instanceof sdk.AnimalStoreError, true);
    equal(sdk.isApiError(error, 'validation_failed'), true);
    equal(sdk.isApiError(error, 'pet_not_found'), false);
    equal(typeof error.requestId, 'string');
    const invalid = storeWith({ apiKey: async () => 'ask_live_unknown' });
    equal((await rejection(invalid.inventory.get())).code, 'credential_invalid');
  },

  'calls work with all ways to use a promise': async ({ store, uniqueName }) => {
    const { id } = await store.pets.create({ name: uniqueName(), categoryId: 1 });
    const first = store.pets.get(id);
    const [a, b] = await Promise.all([first, store.pets.get(id)]);
    equal(a, b);
    equal((await first.withResponse()).response.status, 200);
    let isDone = false;
    const failing = store.pets.delete(0).finally(() => {
      isDone = true;
    });
    equal(await failing.catch((error) => error.code), 'pet_not_found');
    equal(isDone, true);
    equal((await rejection(store.pets.delete(0).withResponse())).code, 'pet_not_found');
  },
};
