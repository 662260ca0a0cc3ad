/** Query parameters of all operations ("Readings of the specification" in docs/decisions.md). */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';

describe.each([true, false])('query parameters with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });

  const list = (query: string, headers: Record<string, string> = {}) =>
    service.request('GET', `/v1/pets?${query}`, { headers });

  const repeated = ['limit=1&limit=1', 'status=sold&status=sold'];

  test.each(extensions ? [...repeated, 'cursor=a&cursor=a'] : repeated)(
    'must not repeat: %s is 400',
    async (query) => {
      expect((await list(query)).code).toBe('invalid_parameter');
    },
  );

  test.each(['x&limit=5', '5&limit=x', '5&limit=5&limit=5'])(
    'that repeat get no other error: limit=%s',
    async (query) => {
      expect((await list(`limit=${query}`)).json).toMatchObject({
        message: 'limit: must not be given more than once',
      });
    },
  );

  test('that are unknown are ignored, also repeated', async () => {
    expect((await list('colour=red&colour=blue&__proto__=x&toString=1')).status).toBe(200);
  });

  test('that are unknown are 400 with Prefer: handling=strict', async () => {
    const response = await list('eye+colour=red', { Prefer: 'handling=strict' });
    const message = '"eye colour": is not a known parameter';
    expect(response.json).toMatchObject({ code: 'invalid_parameter', message });
    expect(response.headers.get('preference-applied')).toBe('handling=strict');
  });

  test.each(['x="a", handling="strict"', String.raw`x="\\", handling=strict`])(
    'that are unknown are 400 with Prefer: %s',
    async (prefer) => {
      expect((await list('colour=red', { Prefer: prefer })).status).toBe(400);
    },
  );

  test('that are known are accepted with Prefer: handling=strict', async () => {
    const response = await list('&limit=1&&', { Prefer: 'respond-async, handling=strict; x=1' });
    expect(response.status).toBe(200);
    expect(response.headers.get('preference-applied')).toBe('handling=strict');
  });

  test.each([
    ...['handling=lenient', 'handling=stricter', 'strict', '', 'x; handling=strict'],
    ...['x="a, handling=strict"', 'handling=lenient, handling=strict'],
    String.raw`x="\", handling=strict"`,
  ])('that are unknown are ignored with Prefer: %s', async (prefer) => {
    const response = await list('colour=red', { Prefer: prefer });
    expect(response.status).toBe(200);
    expect(response.headers.get('preference-applied')).toBeNull();
  });

  test('may have percent-encoded names and values', async () => {
    expect((await list('%6Cimit=%31')).status).toBe(200);
    expect((await list('%6Cimit=0')).status).toBe(400);
    expect((await list('limit=%zz')).status).toBe(400);
  });

  test('end before a fragment', async () => {
    expect((await list('limit=1#&limit=0')).status).toBe(200);
    expect((await service.request('GET', '/v1/pets#?limit=0')).status).toBe(200);
  });
});

test('a parameter without an equals sign is empty', async () => {
  await using service = await startService();
  for (const query of ['reference', 'reference=']) {
    const { status, json } = await service.request('GET', `/v1/store/orders?${query}`);
    expect([status, json]).toEqual([400, expect.objectContaining({ code: 'invalid_parameter' })]);
  }
});
