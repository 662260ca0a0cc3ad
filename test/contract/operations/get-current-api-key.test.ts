/** getCurrentApiKey: GET /api-keys/current. */
import { describe, expect, test } from 'bun:test';
import { startService, useService } from '../../support/service.ts';
import { apiKeyRequests, type CreatedKey } from '../api-key-requests.ts';

const service = useService();
const keys = apiKeyRequests(service);

const PATH = '/v1/api-keys/current';
const current = ({ key }: Pick<CreatedKey, 'key'>) => service.request('GET', PATH, { key });

describe('getCurrentApiKey', () => {
  test('returns the key of the request and the environment, without the secret', async () => {
    const { key, ...described } = await keys.createKey({ scopes: ['orders:read'] });
    const { status, json, text, etag } = await current({ key });
    expect([status, json]).toEqual([200, { ...described, environment: 'production' }]);
    expect(text).not.toContain(key.slice(9, 35));
    expect(etag).not.toBe('');
  });

  test('returns expiresAt if the key expires, and leaves it out otherwise', async () => {
    const expiresAt = keys.timeIn(60_000);
    expect((await current(await keys.createKey({ expiresAt }))).json).toMatchObject({ expiresAt });
    expect((await current(await keys.createKey())).json).not.toHaveProperty('expiresAt');
  });

  test('returns the environment staging in staging', async () => {
    await using staging = await startService({ environment: 'staging' });
    const { json } = await staging.request('GET', PATH);
    const hint = expect.stringMatching(/^ask_test_/);
    expect(json).toMatchObject({ environment: 'staging', hint });
  });

  test('returns the new expiry from the next request on after a rotation with a grace period', async () => {
    const created = await keys.createKey();
    for (let time = 0; time < 3; time += 1) await current(created);
    const successor = (await keys.rotate(created.id, 60)).json as CreatedKey;
    const expiresAt = keys.timeIn(60_000);
    expect((await current(created)).json).toMatchObject({ id: created.id, expiresAt });
    const { json } = await current(successor);
    expect(json).toMatchObject({ id: successor.id, name: created.name });
    expect(json).not.toHaveProperty('expiresAt');
  });

  test('leaves the other methods of the path to the operations on a key by its id', async () => {
    expect((await keys.revoke('current')).code).toBe('key_not_found');
    expect((await keys.rotate('current')).code).toBe('key_not_found');
    const { status, headers } = await service.request('PUT', PATH);
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE']);
    const other = await service.request('GET', '/v1/api-keys/1');
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'DELETE']);
  });
});
