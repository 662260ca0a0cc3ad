/** listApiKeys: GET /api-keys. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { apiKeyRequests, type ListedKey } from '../api-key-requests.ts';
import { walkPages } from '../walk-pages.ts';

const service = useService();
const keys = apiKeyRequests(service);
beforeAll(async () => {
  for (let count = 0; count < 10; count += 1) await keys.createKey();
});

describe('listApiKeys', () => {
  test('returns only the beginning and the end of a key', async () => {
    const created = await keys.createKey();
    const { text } = await keys.list();
    expect(text).toContain(created.hint);
    expect(text).not.toContain(created.key.slice(9, 35));
    expect(text).not.toMatch(/ask_live_\w/);
    expect(await keys.find(created.id)).not.toHaveProperty('key');
  });

  test('returns all keys sorted by id, also revoked ones, with the time of the revocation', async () => {
    const { key: _secret, ...listed } = await keys.createKey();
    service.clock.advance(1_000);
    await keys.revoke(listed.id);
    expect(await keys.find(listed.id)).toEqual({ ...listed, revokedAt: keys.timeIn(0) });
    const ids = ((await keys.list()).json as ListedKey[]).map(({ id }) => id);
    expect(ids).toEqual(Array.from(ids, (_id, index) => index + 1));
    expect((await keys.list('?sort=-id')).text).toBe((await keys.list()).text);
  });

  test('returns each key once on its pages', async () => {
    const pages = await walkPages<ListedKey>(service, '/v1/api-keys?limit=4');
    expect(pages.slice(0, -1).map(({ length }) => length)).toEqual([4, 4, 4]);
    expect(pages.flat()).toEqual((await keys.list()).json as ListedKey[]);
    expect((await keys.list('?cursor=AAAAAAAAAAAAAAAA')).code).toBe('invalid_cursor');
  });

  test('returns when a key was last used, after the usage is written', async () => {
    const created = await keys.createKey();
    expect(await keys.isValid(created)).toBeTrue();
    const usedAt = keys.timeIn(0);
    expect(await keys.find(created.id)).not.toHaveProperty('lastUsedAt');
    await service.usage.flush();
    expect((await keys.find(created.id))?.lastUsedAt).toBe(usedAt);
  });
});
