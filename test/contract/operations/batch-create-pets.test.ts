/** batchCreatePets: POST /pet-batches. */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { renderExactJson } from '../../../src/http/request/exact-json.ts';
import type { NewPet, Pet } from '../../../src/pets/pet.ts';
import { countPets } from '../../support/catalogue.ts';
import { startService, type TestService, useService } from '../../support/service.ts';

const service = useService();

const REX = { name: 'Rex', categoryId: 1, status: 'available' } as const;
const many = (count: number): NewPet[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Animal ${index}`, categoryId: index % 7 }));

interface Sent {
  readonly to?: TestService;
  readonly headers?: Record<string, string>;
}
const add = (body: unknown, { to = service, headers = {} }: Sent = {}) =>
  to.request('POST', '/v1/pet-batches', { body, headers });
const addAll = (pets: readonly unknown[], sent?: Sent) =>
  add(renderExactJson({ pets }), {
    ...sent,
    headers: { 'Content-Type': 'application/json', ...sent?.headers },
  });
const textOf = async (id: unknown) => (await service.request('GET', `/v1/pets/${id}`)).text;

/** Requires a refusal with this message, and that nothing was stored. */
async function expectRefused(send: () => ReturnType<typeof add>, message: string): Promise<void> {
  const before = await countPets(service.database);
  expect((await send()).json).toEqual({ code: 'validation_failed', message, status: 400 });
  expect(await countPets(service.database)).toBe(before);
}

const COUNT = 'pets: must be an array of 1 to 1000 animals';

describe('animals that are added together', () => {
  test.each([1, 2, 1_000])(
    'may be %d: returned as a bare array in the order sent, with ascending ids',
    async (count) => {
      const { status, json } = await addAll(many(count));
      expect(status).toBe(201);
      const added = json as Pet[];
      expect(added).toEqual(
        many(count).map((pet, index) => ({ id: added[index]?.id as number, ...pet })),
      );
      const ids = added.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
      expect(new Set(ids).size).toBe(count);
    },
  );

  test('are stored exactly as getPet returns them', async () => {
    const ids = [9223372036854775807n, -9223372036854775808n, 9007199254740993n, 0];
    const names = ['🐈‍⬛', ' Zoe\u0308 ', '"\\\n', "'; DROP TABLE pets; --"];
    const { text, json } = await addAll(
      ids.map((categoryId, index) => ({ name: names[index], categoryId, status: 'sold' })),
    );
    const texts = await Promise.all((json as Pet[]).map(({ id }) => textOf(id)));
    expect(text).toBe(`[${texts.join()}]`);
    for (const [index, id] of ids.entries()) expect(texts[index]).toContain(`"categoryId":${id},`);
  });

  test('are a write of as many rows for the storage, with and without an Idempotency-Key', async () => {
    using write = spyOn(service.database, 'write');
    await addAll(many(600));
    await addAll(many(700), { headers: { 'Idempotency-Key': 'k' } });
    expect(write.mock.calls.map(([_cause, _work, options]) => options?.rows)).toEqual([600, 700]);
  });

  test('are added or not if the response is 503 deadline_exceeded, but never in part', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // The deadline may pass before the write begins.
    const { promise: written, resolve: begin } = Promise.withResolvers<unknown>();
    await using late = await startService({
      options: { requestTimeoutMs: 20 },
      wrap: (database) => ({
        ...database,
        write(work, options) {
          const result = held.then(() => database.write(work, options));
          begin(result);
          return result;
        },
      }),
    });
    const headers = { 'Idempotency-Key': 'k' };
    const { json } = await addAll(many(10), { to: late, headers });
    expect(json).toMatchObject({ code: 'deadline_exceeded', status: 503 });
    expect(await countPets(late.database)).toBe(0);
    release();
    await written;
    expect(await countPets(late.database)).toBe(10);
  });
});

describe('a body', () => {
  test.each([
    ['without the field', {}, 'pets: is required'],
    ['with no animals', { pets: [] }, COUNT],
    ['with 1,001 animals', { pets: many(1_001) }, COUNT],
    ['with an object', { pets: {} }, COUNT],
    ['with null', { pets: null }, COUNT],
  ])('%s is 400', (_what, body, message) => expectRefused(() => add(body), message));

  test('with far too many values has one fault, however invalid they are', async () => {
    const body = `{"pets":[${'{"a":1},'.repeat(100_000)}0]}`;
    await expectRefused(() => add(body), COUNT);
    await expectRefused(() => add(body, { headers: { Prefer: 'handling=strict' } }), COUNT);
  });
});

const strict = useService({ options: { requireKnownCategory: true } });
beforeAll(async () => {
  for (const id of ['1', '9223372036854775807'])
    await strict.request('PUT', `/v1/categories/${id}`, { body: { name: 'Dogs' } });
});

test('with REQUIRE_KNOWN_CATEGORY=on each animal of an unknown category is a fault, and nothing is stored', async () => {
  const categoryIds = [1, 2, 9223372036854775807n, 9223372036854775806n, 1, 2];
  const { json } = await addAll(
    categoryIds.map((categoryId) => ({ ...REX, categoryId })),
    { to: strict },
  );
  const faults = [1, 3, 5].map((place) => `pets[${place}].categoryId: is not a known category`);
  expect(json).toEqual({ code: 'validation_failed', message: faults.join('; '), status: 400 });
  expect(await countPets(strict.database)).toBe(0);
  const known = categoryIds.filter((_, place) => place % 2 === 0);
  const pets = known.map((categoryId) => ({ ...REX, categoryId }));
  expect((await addAll(pets, { to: strict })).status).toBe(201);
});
