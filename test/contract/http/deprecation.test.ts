/** getPet is deprecated. It works as specified until its sunset on 5 December 2030. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const REFERENCE = '<https://store.test/docs#getPet>; rel="deprecation"; type="text/html"';

/** @param alternate the path and query of the replacement, below the base URL. */
function expectDeprecated(headers: Headers, alternate: string): void {
  expect(headers.get('deprecation')).toBe('@1795219200');
  expect(headers.get('sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT');
  expect(headers.get('link')).toBe(
    `${REFERENCE}, <https://store.test/v1${alternate}>; rel="alternate"`,
  );
}

describe.each([true, false])('with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });
  let id: number;
  /** With extensions, the filter `id` selects the animal. */
  const alternateOf = (petId: unknown) => (extensions ? `/pets?id=${petId}` : '/pets');
  beforeAll(async () => {
    id = Number((await service.addPet({ name: 'Rex', categoryId: 1 })).id);
  });

  describe('the headers of the deprecation', () => {
    test.each(['GET', 'HEAD'])(
      'are in each response to %s of an animal, also in a cached one, and in a 304',
      async (method) => {
        const path = `/v1/pets/${id}`;
        for (let request = 0; request < 4; request += 1)
          expectDeprecated((await service.request(method, path)).headers, alternateOf(id));
        const unchanged = await service.request(method, path, {
          headers: { 'If-None-Match': '*' },
        });
        expect(unchanged.status).toBe(extensions ? 304 : 200);
        expectDeprecated(unchanged.headers, alternateOf(id));
      },
    );

    test('are in responses with 404, 403 and 400', async () => {
      const { secret: other } = await service.issueKey(['pets:write']);
      const missing = await service.request('GET', '/v1/pets/999999');
      expect(missing.status).toBe(404);
      expectDeprecated(missing.headers, alternateOf(999999));
      const responses = [
        await service.request('GET', `/v1/pets/${id}`, { key: other }),
        await service.request('GET', `/v1/pets/${id}?x=1`, {
          headers: { Prefer: 'handling=strict' },
        }),
      ];
      expect(responses.map(({ status }) => status)).toEqual([403, 400]);
      for (const { headers } of responses) expectDeprecated(headers, alternateOf(id));
    });

    test('link to the whole list if the path names no identifier', async () => {
      for (const petId of ['abc', '01', '1.0', '9223372036854775808', '1%3E', '%0D%0AX: y']) {
        const { headers, status } = await service.request('GET', `/v1/pets/${petId}`);
        expect(status).toBe(404);
        expectDeprecated(headers, '/pets');
      }
    });

    test.each(['-1', '9007199254740993', '9223372036854775807'])(
      'link to the animal with the id %s exactly',
      async (petId) => {
        const { headers } = await service.request('GET', `/v1/pets/${petId}`);
        expectDeprecated(headers, alternateOf(petId));
      },
    );
  });

  describe('getPet', () => {
    test('works as specified until the last millisecond before 5 December 2030', async () => {
      service.clock.set('2030-12-04T23:59:59.999Z');
      // The last response is from the cache.
      for (let time = 0; time < 3; time += 1)
        expect((await service.request('GET', `/v1/pets/${id}`)).status).toBe(200);
      expect((await service.request('GET', '/v1/pets/999999')).status).toBe(404);
    });

    test('returns 410 with a link to the replacement from 5 December 2030 on', async () => {
      service.clock.set('2030-12-05T00:00:00Z');
      for (const petId of [id, 999999, 'abc']) {
        const response = await service.request('GET', `/v1/pets/${petId}`);
        expect(response.json).toMatchObject({ code: 'operation_removed', status: 410 });
        expectDeprecated(response.headers, petId === 'abc' ? '/pets' : alternateOf(petId));
      }
      expect((await service.request('GET', `/v1/pets/${id}`, { key: null })).status).toBe(401);
    });
  });

  test('the targets of the links exist', async () => {
    const one = await service.request('GET', `/v1${alternateOf(id)}`);
    expect(one.json).toEqual([{ id, name: 'Rex', categoryId: 1 }]);
    const { text, headers } = await service.request('GET', '/docs', { key: null });
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).toContain('id="getPet"');
    expect(text).toContain('5 December 2030');
  });
});
