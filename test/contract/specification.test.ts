/** The specification, heading by heading: what it promises, and nothing that we added to it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { countPets } from '../support/catalogue.ts';
import { startService, type TestService } from '../support/service.ts';
import type { TestAnswer } from '../support/test-answer.ts';

describe.each([{ extensions: true }, { extensions: false }])(
  'with extensions: $extensions',
  ({ extensions }) => {
    let service: TestService;
    beforeAll(async () => {
      service = await startService({ rules: { extensions } });
    });
    afterAll(() => service.close());

    const create = (body: unknown): Promise<TestAnswer> =>
      service.request('POST', '/v1/pets', { body });

    /** The animals as the list shows them, one text each: there are fewer than the largest page. */
    async function allPets(): Promise<string[]> {
      const { json, text } = await service.request('GET', '/v1/pets?limit=100');
      expect((json as unknown[]).length).toBeLessThan(100);
      return text.slice(1, -1).split(/(?<=\}),/);
    }

    function expectError(answer: TestAnswer, status: number, code: string): void {
      expect(answer.json).toEqual({ code, message: expect.any(String), status });
      expect(answer.status).toBe(status);
    }

    describe('What the service does', () => {
      test('all bodies are application/json', async () => {
        const answers = [
          await create({ name: 'Rex', categoryId: 1 }),
          await service.request('GET', '/v1/pets'),
          await service.request('GET', '/v1/pets/1'),
          await service.request('GET', '/v1/pets/999999'),
          await service.request('GET', '/v1/pets', { key: null }),
        ];
        const types = answers.map((answer) => answer.headers.get('content-type'));
        expect(new Set(types)).toEqual(new Set(['application/json']));
      });
    });

    describe('Resources and their fields', () => {
      test('a Pet has every field of NewPet, plus the id that the service assigned', async () => {
        const { json } = await create({ name: 'Rex', categoryId: 7, status: 'pending' });
        expect(json).toEqual({
          id: expect.any(Number),
          name: 'Rex',
          categoryId: 7,
          status: 'pending',
        });
      });

      test('status is optional: an animal added without one has no such field', async () => {
        const { json } = await create({ name: 'Mia', categoryId: 7 });
        expect(json).toEqual({ id: expect.any(Number), name: 'Mia', categoryId: 7 });
      });

      test.each(['available', 'pending', 'sold'])('PetStatus allows %s', async (status) => {
        expect((await create({ name: 'Rex', categoryId: 1, status })).status).toBe(201);
      });

      test.each([['9223372036854775807'], ['-9223372036854775808'], ['9007199254740993'], ['0']])(
        'categoryId is an int64: %s comes back to the digit, from all three operations',
        async (digits) => {
          const created = await create(`{"name":"Rex","categoryId":${digits}}`);
          expect(created.text).toContain(`"categoryId":${digits}`);
          const { id } = created.json as { id: number };
          expect((await service.request('GET', `/v1/pets/${id}`)).text).toBe(created.text);
          const listed = (await allPets()).find((text) => text.startsWith(`{"id":${id},`));
          expect(listed).toBe(created.text);
        },
      );

      test('the response to a list request is an array without a wrapper', async () => {
        expect((await service.request('GET', '/v1/pets')).json).toBeArray();
      });

      test('an Error has exactly code, message and status', async () => {
        const { json } = await service.request('GET', '/v1/pets/999999');
        expect(Object.keys(json as object)).toEqual(['code', 'message', 'status']);
      });
    });

    describe('GET /pets (listPets)', () => {
      let filled: TestService;
      const statuses = ['available', 'pending', 'sold', undefined] as const;
      beforeAll(async () => {
        filled = await startService({ rules: { extensions } });
        await Promise.all(
          Array.from({ length: 120 }, (_, index) =>
            filled.addPet({
              name: `Pet ${index}`,
              categoryId: 1,
              status: statuses[index % 4],
            }),
          ),
        );
      });
      afterAll(() => filled.close());

      const list = async (query: string) =>
        (await filled.request('GET', `/v1/pets${query}`)).json as { id: number; status?: string }[];

      test('returns 20 animals when no limit is given', async () => {
        expect(await list('')).toHaveLength(20);
      });

      test.each([1, 2, 99, 100])('returns at most limit=%d animals', async (limit) => {
        expect(await list(`?limit=${limit}`)).toHaveLength(limit);
      });

      test.each(['available', 'pending', 'sold'])(
        'status=%s returns those animals alone',
        async (status) => {
          const pets = await list(`?limit=100&status=${status}`);
          expect(pets).toHaveLength(30);
          expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]));
        },
      );

      test('an empty catalogue is an empty array', async () => {
        const empty = await startService({ rules: { extensions } });
        expect((await empty.request('GET', '/v1/pets')).text).toBe('[]');
        await empty.close();
      });

      test('401 when the credential is missing or invalid', async () => {
        expectError(
          await service.request('GET', '/v1/pets', { key: null }),
          401,
          'credential_missing',
        );
        expectError(
          await service.request('GET', '/v1/pets', { key: 'wrong' }),
          401,
          'credential_invalid',
        );
      });
    });

    describe('POST /pets (createPet)', () => {
      test('201 with the Pet, which is then found in the list and by its id', async () => {
        const created = await create({ name: 'Bella', categoryId: 3, status: 'sold' });
        expect(created.status).toBe(201);
        const { id } = created.json as { id: number };
        expect((await service.request('GET', `/v1/pets/${id}`)).json).toEqual(created.json);
        expect(await allPets()).toContain(created.text);
      });

      test('each animal gets an identifier of its own', async () => {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => create({ name: 'Twin', categoryId: 1 })),
        );
        expect(new Set(answers.map(({ json }) => (json as { id: number }).id)).size).toBe(50);
      });

      test('400 when the body is missing', async () => {
        expectError(await service.request('POST', '/v1/pets'), 400, 'body_required');
      });

      test.each([
        ['name is absent', { categoryId: 1 }],
        ['categoryId is absent', { name: 'Rex' }],
        ['both are absent', {}],
        ['name is a number', { name: 5, categoryId: 1 }],
        ['name is null', { name: null, categoryId: 1 }],
        ['categoryId is a string', { name: 'Rex', categoryId: '1' }],
        ['categoryId is true', { name: 'Rex', categoryId: true }],
        ['categoryId is null', { name: 'Rex', categoryId: null }],
        ['status is unknown', { name: 'Rex', categoryId: 1, status: 'lost' }],
        ['status differs in case', { name: 'Rex', categoryId: 1, status: 'Available' }],
      ])('400 when %s, and nothing is stored', async (_what, body) => {
        const before = await countPets(service.database);
        expectError(await create(body), 400, 'validation_failed');
        expect(await countPets(service.database)).toBe(before);
      });

      test('401 when the credential is missing or invalid, and nothing is stored', async () => {
        const before = await countPets(service.database);
        const body = { name: 'Rex', categoryId: 1 };
        expectError(
          await service.request('POST', '/v1/pets', { key: null, body }),
          401,
          'credential_missing',
        );
        expectError(
          await service.request('POST', '/v1/pets', { key: 'wrong', body }),
          401,
          'credential_invalid',
        );
        expect(await countPets(service.database)).toBe(before);
      });
    });

    describe('GET /pets/{petId} (getPet)', () => {
      test('200 with the Pet', async () => {
        const { json } = await create({ name: 'Rex', categoryId: 1 });
        const answer = await service.request('GET', `/v1/pets/${(json as { id: number }).id}`);
        expect(answer.status).toBe(200);
        expect(answer.json).toEqual(json);
      });

      test('404 when no animal has that identifier', async () => {
        expectError(await service.request('GET', '/v1/pets/999999'), 404, 'pet_not_found');
      });

      test('401 when the credential is missing or invalid', async () => {
        expectError(
          await service.request('GET', '/v1/pets/1', { key: null }),
          401,
          'credential_missing',
        );
        expectError(
          await service.request('GET', '/v1/pets/1', { key: 'wrong' }),
          401,
          'credential_invalid',
        );
      });
    });

    describe('Errors', () => {
      test('the status field of an Error equals the HTTP status of the response', async () => {
        const answers = [
          await service.request('GET', '/v1/pets', { key: null }),
          await service.request('GET', '/v1/pets?limit=0'),
          await service.request('GET', '/v1/pets/0'),
          await service.request('GET', '/v1/nothing'),
          await service.request('PUT', '/v1/pets'),
          await service.request('POST', '/v1/pets', {
            body: 'x',
            headers: { 'Content-Type': 'text/plain' },
          }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([401, 400, 404, 404, 405, 415]);
        for (const { json, status } of answers) expect(json).toMatchObject({ status });
      });
    });
  },
);
