/** Paths and methods of the service. routing.test.ts has the rules of the router. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const UNKNOWN = 'No operation has this path.';
const OUTSIDE = 'No operation has this path: operations are below /v1.';

describe.each([true, false])('with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });
  beforeAll(async () => {
    // The name has more bytes than characters, as a Content-Length shows.
    await service.addPet({ name: 'Zoë', categoryId: 1 });
  });

  test.each([
    ...['/v1', '/v1/', '/v1/pets/', '/v1//pets', '/v1/pets//1', '/v1/pets/1/', '/v1/pet'],
    ...['/v1/Pets', '/v1/pets/1/2', '/v2/pets', '/v1pets', '/nothing'],
  ])('%s is 404 route_not_found, and has no preference to apply', async (path) => {
    const strict = { headers: { Prefer: 'handling=strict' } };
    const { json, headers } = await service.request('GET', path, strict);
    expect(json).toMatchObject({ code: 'route_not_found', status: 404 });
    expect(json).toHaveProperty('message', /^\/v1(\/|$)/.test(path) ? UNKNOWN : OUTSIDE);
    expect(headers.get('preference-applied')).toBeNull();
  });

  test.each([
    ...['/v1/pets:', '/v1/pets:other', '/v1/pets:batchCreate', '/v1/Pet-batches'],
    ...['/v1/pet-batches/', '/v1/pet-batches/1'],
  ])('%s is 404 route_not_found', async (path) => {
    const { json } = await service.request('POST', path);
    expect(json).toMatchObject({ code: 'route_not_found', status: 404 });
  });

  const onOnePet = extensions ? 'GET, HEAD, PATCH, DELETE' : 'GET, HEAD';

  test.each([
    ['PUT', '/v1/pets', 'GET, HEAD, POST'],
    ['DELETE', '/v1/pets', 'GET, HEAD, POST'],
    ['PATCH', '/v1/pets', 'GET, HEAD, POST'],
    ['OPTIONS', '/v1/pets', 'GET, HEAD, POST'],
    ['POST', '/v1/pets/1', onOnePet],
    ['PUT', '/v1/pets/1', onOnePet],
    ['POST', '/v1/pets/batch', onOnePet],
    ...(extensions
      ? ['GET', 'PUT', 'PATCH', 'DELETE'].map(
          (method) => [method, '/v1/pet-batches', 'POST'] as const,
        )
      : []),
    ['POST', '/livez', 'GET, HEAD'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const response = await service.request(method, path);
    const message = `This path supports only ${allow}.`;
    expect(response.json).toEqual({ code: 'method_not_allowed', message, status: 405 });
    expect(response.headers.get('allow')).toBe(allow);
  });

  test.each([
    ...['/v1/pets', '/v1/pets?limit=0', '/v1/pets/1', '/v1/pets/999', '/v1/nothing', '/livez'],
  ])('HEAD %s returns the headers of GET, without a body', async (path) => {
    const get = await service.request('GET', path);
    const head = await service.request('HEAD', path);
    expect(head.status).toBe(get.status);
    expect(head.text).toBe('');
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
  });
});
