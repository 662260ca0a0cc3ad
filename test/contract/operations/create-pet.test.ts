/** createPet: POST /pets, and getPet: GET /pets/{petId} ("Readings of the specification" in docs/decisions.md). */
import { describe, expect, test } from 'bun:test';
import { countPets } from '../../support/catalogue.ts';
import { startService, useService } from '../../support/service.ts';

describe.each([true, false])('createPet with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });

  const create = (body: unknown, headers: Record<string, string> = {}) =>
    service.request('POST', '/v1/pets', { body, headers });
  const get = (id: unknown) => service.request('GET', `/v1/pets/${id}`);

  test('returns 201 with the animal, and getPet and listPets return the same', async () => {
    for (const status of ['available', 'pending', 'sold', undefined]) {
      const pet = { name: 'Bella', categoryId: 3, ...(status && { status }) };
      const created = await create(pet);
      expect(created.status).toBe(201);
      expect(created.json).toEqual({ id: expect.any(Number), ...pet });
      const found = await get((created.json as { id: number }).id);
      expect([found.status, found.text]).toEqual([200, created.text]);
      expect((await service.request('GET', '/v1/pets?limit=100')).text).toContain(created.text);
    }
  });

  test('returns its Location under the configured base URL, whatever Host is', async () => {
    const { json, headers } = await create({ name: 'Rex', categoryId: 1 }, { Host: 'evil.test' });
    const { id } = json as { id: number };
    expect(headers.get('location')).toBe(`https://store.test/v1/pets/${id}`);
  });

  test.each([
    ['name is absent', { categoryId: 1 }],
    ['categoryId is absent', { name: 'Rex' }],
    ['name is a number', { name: 5, categoryId: 1 }],
    ['name is null', { name: null, categoryId: 1 }],
    ['categoryId is null', { name: 'Rex', categoryId: null }],
    ['status is null', { name: 'Rex', categoryId: 1, status: null }],
    ['status differs in case', { name: 'Rex', categoryId: 1, status: 'Available' }],
  ])('returns 400 if %s, and stores nothing', async (_what, body) => {
    const before = await countPets(service.database);
    const { json, status } = await create(body);
    expect(json).toEqual({ code: 'validation_failed', message: expect.any(String), status: 400 });
    expect(status).toBe(400);
    expect(await countPets(service.database)).toBe(before);
  });

  test('reports all invalid fields in one message', async () => {
    const { json } = await create({ name: '', categoryId: 1.5, status: 'lost' });
    expect(json).toEqual({
      code: 'validation_failed',
      message:
        'name: must not be empty or only white space; ' +
        'categoryId: must be an integer from -9223372036854775808 to 9223372036854775807; ' +
        'status: must be one of available, pending, sold',
      status: 400,
    });
    expect((await create({})).json).toMatchObject({
      message: 'name: is required; categoryId: is required',
    });
  });

  test('ignores unknown fields, also an id, and does not store them', async () => {
    const pet = { name: 'Rex', categoryId: 1 };
    const { json } = await create({ id: 5_000_000, ...pet, colour: 'red', __proto__: 1 });
    expect(json).toEqual({ id: expect.any(Number), ...pet });
    expect(json).not.toMatchObject({ id: 5_000_000 });
  });

  test('rejects unknown fields with Prefer: handling=strict', async () => {
    const body = { id: 5, name: 'Rex', categoryId: 1 };
    const response = await create(body, { Prefer: 'handling=strict' });
    expect(response.json).toEqual({
      code: 'validation_failed',
      message: 'id: is not a known field',
      status: 400,
    });
    expect(response.headers.get('preference-applied')).toBe('handling=strict');
  });

  test.each(['refusal', 'code', 'constructor', '__proto__', 'toString'])(
    'treats a field with the name %s like any unknown field',
    async (field) => {
      const body = `{"name":"Rex","categoryId":1,"${field}":{"status":204}}`;
      expect((await create(body)).status).toBe(201);
    },
  );

  describe('the name', () => {
    test.each([
      ...[' Rex ', 'Zoë', 'Zoe\u0308', '🐈‍⬛', '\u202Eabc', 'a\tb\nc', '"quoted" \\ /', '\uFEFFx'],
      "'; DROP TABLE pets; --",
    ])('%j is stored and returned unchanged', async (name) => {
      const { json } = await create({ name, categoryId: 1 });
      expect(json).toMatchObject({ name });
      expect((await get((json as { id: number }).id)).json).toMatchObject({ name });
    });

    test.each(['', ' ', '\t\n\u00A0\u2003\u3000'])('%j is 400', async (name) => {
      expect((await create({ name, categoryId: 1 })).json).toMatchObject({
        message: 'name: must not be empty or only white space',
      });
    });

    test.each(['é', '🐢'])('may have 255 code points such as %s, not 256', async (character) => {
      const statusOf = async (length: number) =>
        (await create({ name: character.repeat(length), categoryId: 1 })).status;
      expect(await statusOf(255)).toBe(201);
      expect(await statusOf(256)).toBe(400);
    });

    test.each(['\\ud800', 'a\\udc00b', '\\udc00\\ud800'])(
      'with a lone surrogate (%s) is 400',
      async (surrogate) => {
        expect((await create(`{"name":"${surrogate}","categoryId":1}`)).json).toMatchObject({
          message: 'name: must not contain a lone surrogate',
        });
      },
    );

    test('with U+0000 is 400', async () => {
      expect((await create('{"name":"a\\u0000b","categoryId":1}')).json).toMatchObject({
        message: 'name: must not contain the character U+0000',
      });
    });
  });

  describe('the categoryId', () => {
    test.each([
      ['1.0', '1'],
      ['1e2', '100'],
      ['1.50e1', '15'],
      ['-0', '0'],
      ['-0.0e5', '0'],
      ['0e999999999', '0'],
      ['-5', '-5'],
      ['922337203685477580.7e1', '9223372036854775807'],
      ['9007199254740993.0', '9007199254740993'],
    ])('%s is the integer %s', async (sent, stored) => {
      const { text } = await create(`{"name":"Rex","categoryId":${sent}}`);
      expect(text).toContain(`"categoryId":${stored}}`);
    });

    const invalid =
      '1.5 "1" true 1e400 9223372036854775808 -9223372036854775809 1e19 1.0000000000000000000001 0.1e0 [1] {}';

    test.each(invalid.split(' '))('%s is 400', async (sent) => {
      expect((await create(`{"name":"Rex","categoryId":${sent}}`)).code).toBe('validation_failed');
    });
  });
});

test('createPet rejects a categoryId without a category under REQUIRE_KNOWN_CATEGORY=on, and stores nothing', async () => {
  await using strict = await startService({ options: { requireKnownCategory: true } });
  const body = { name: 'Rex', categoryId: 1 };
  const create = () => strict.request('POST', '/v1/pets', { body });
  const message = 'categoryId: is not a known category';
  expect((await create()).json).toEqual({ code: 'validation_failed', message, status: 400 });
  expect((await strict.request('GET', '/v1/pets')).text).toBe('[]');
  await strict.request('PUT', '/v1/categories/1', { body: { name: 'Dogs' } });
  expect((await create()).status).toBe(201);
});
