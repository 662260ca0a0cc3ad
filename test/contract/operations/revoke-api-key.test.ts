/** revokeApiKey: DELETE /api-keys/{keyId}. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { apiKeyRequests } from '../api-key-requests.ts';

const service = useService();
const keys = apiKeyRequests(service);

const NOT_FOUND = { code: 'key_not_found', status: 404 };

describe('revokeApiKey', () => {
  test('returns 204, invalidates the key from the next request on, and returns 404 the second time', async () => {
    const created = await keys.createKey();
    expect(await keys.isValid(created)).toBeTrue();
    const { status, text } = await keys.revoke(created.id);
    expect([status, text]).toEqual([204, '']);
    expect(await keys.isValid(created)).toBeFalse();
    expect((await keys.revoke(created.id)).json).toMatchObject(NOT_FOUND);
  });

  test('can revoke the key of the request', async () => {
    const { id, key } = await keys.createKey({ scopes: ['keys:admin'] });
    const revoke = () => service.request('DELETE', `/v1/api-keys/${id}`, { key });
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).code).toBe('credential_invalid');
  });
});
