/** A request with several errors gets the response to the first check that fails. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

describe.each([true, false])('with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });

  const invalid = { body: 'not json', headers: { 'Content-Type': 'text/plain' } };

  test('the credential is checked before path, method, media type and validity', async () => {
    for (const [method, path] of [
      ['GET', '/v1/nothing'],
      ['PUT', '/v1/pets'],
      ['POST', '/v1/pets'],
      ['GET', '/v1/pets?limit=0'],
      ['GET', '/v1/pets/999'],
    ] as const) {
      const options = { key: null, ...(method === 'GET' ? {} : invalid) };
      expect((await service.request(method, path, options)).code).toBe('credential_missing');
    }
  });

  test('the order is then method, media type, size, syntax', async () => {
    const create = (options: object) => service.request('POST', '/v1/pets', options);
    const large = 'x'.repeat(1024 * 1024 + 1);
    expect((await service.request('PUT', '/v1/pets', invalid)).status).toBe(405);
    expect((await create({ ...invalid, body: large })).status).toBe(415);
    expect((await create({ body: large })).status).toBe(413);
    expect((await create({ body: '{"name":""' })).code).toBe('invalid_json');
  });

  test('the scope is checked before validity', async () => {
    const { secret: key } = await service.issueKey(['pets:read']);
    const { json } = await service.request('POST', '/v1/pets', { key, body: 'not json' });
    expect(json).toMatchObject({ code: 'scope_missing', status: 403 });
  });
});
