/** Versioning: getPet is deprecated, works as specified until 5 December 2030, and is gone from then on. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startService, type TestService } from '../../support/service.ts';

const LINKS =
  '<https://store.test/docs#deprecated>; rel="deprecation"; type="text/html", ' +
  '<https://store.test/v1/pets>; rel="alternate"';

function expectDeprecated(headers: Headers): void {
  expect(headers.get('deprecation')).toBe('@1795219200');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toBe(LINKS);
}

describe.each([{ extensions: true }, { extensions: false }])(
  'with extensions: $extensions',
  ({ extensions }) => {
    let service: TestService;
    let id: number;
    beforeAll(async () => {
      service = await startService({ rules: { extensions } });
      id = Number((await service.addPet({ name: 'Rex', categoryId: 1 })).id);
    });
    afterAll(() => service.close());

    describe('every answer of getPet says that it is deprecated', () => {
      test.each(['GET', 'HEAD'])('%s of an animal', async (method) => {
        expectDeprecated((await service.request(method, `/v1/pets/${id}`)).headers);
      });

      test('404, 403 and 400', async () => {
        const { secret: other } = await service.issueKey(['pets:write']);
        const answers = [
          await service.request('GET', '/v1/pets/999999'),
          await service.request('GET', `/v1/pets/${id}`, { key: other }),
          await service.request('GET', `/v1/pets/${id}?x=1`, {
            headers: { Prefer: 'handling=strict' },
          }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([404, 403, 400]);
        for (const { headers } of answers) expectDeprecated(headers);
      });

      test('but a 401 tells nothing about the path', async () => {
        const { headers } = await service.request('GET', `/v1/pets/${id}`, { key: null });
        expect(headers.get('deprecation')).toBeNull();
      });

      test('and no other operation says so', async () => {
        const { headers } = await service.request('GET', '/v1/pets');
        expect(headers.get('deprecation')).toBeNull();
        expect(headers.get('sunset')).toBeNull();
      });
    });

    describe('the sunset', () => {
      test('a millisecond before 5 December 2030 getPet answers as specified', async () => {
        service.clock.set('2030-12-04T23:59:59.999Z');
        expect((await service.request('GET', `/v1/pets/${id}`)).status).toBe(200);
        expect((await service.request('GET', '/v1/pets/999999')).status).toBe(404);
      });

      test('from 5 December 2030 on it answers 410 operation_removed, which names the replacement', async () => {
        service.clock.set('2030-12-05T00:00:00Z');
        for (const path of [`/v1/pets/${id}`, '/v1/pets/999999', '/v1/pets/abc']) {
          const answer = await service.request('GET', path);
          expect(answer.json).toMatchObject({ code: 'operation_removed', status: 410 });
          expectDeprecated(answer.headers);
        }
      });

      test('without a credential it is 401 still, and the other operations go on', async () => {
        service.clock.set('2031-01-01T00:00:00Z');
        expect((await service.request('GET', `/v1/pets/${id}`, { key: null })).status).toBe(401);
        expect((await service.request('GET', '/v1/pets')).status).toBe(200);
      });
    });

    test('the pages that the links name are served', async () => {
      const { text, headers } = await service.request('GET', '/docs', { key: null });
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(text).toContain('id="deprecated"');
      expect(text).toContain('5 December 2030');
      expect((await service.request('GET', '/v1/pets')).json).toEqual([
        { id, name: 'Rex', categoryId: 1 },
      ]);
    });
  },
);
