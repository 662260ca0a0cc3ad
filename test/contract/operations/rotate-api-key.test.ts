/** rotateApiKey: POST /api-keys/{keyId}/rotate. */
import { describe, expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { apiKeyRequests, type CreatedKey } from '../api-key-requests.ts';

const service = useService();
const keys = apiKeyRequests(service);

const HOUR_MS = 3_600_000;
const NOT_FOUND = { code: 'key_not_found', status: 404 };

describe('rotateApiKey', () => {
  test('returns 201 with a successor of the same name, scopes and expiry', async () => {
    const expiresAt = keys.timeIn(24 * HOUR_MS);
    const old = await keys.createKey({ scopes: ['pets:read'], expiresAt });
    service.clock.advance(1_000);
    const { status, json } = await keys.rotate(old.id);
    const { id, key, hint } = json as CreatedKey;
    expect(status).toBe(201);
    expect(json).toEqual({ ...old, id, key, hint, createdAt: keys.timeIn(0) });
    expect(key).toMatch(/^ask_live_[0-9A-Za-z]{36}$/);
    expect([id, key]).not.toEqual([old.id, old.key]);
  });

  test.each([
    ['after the grace period', undefined, 60, 60_000],
    ['after a grace period shorter than its expiry', HOUR_MS, 60, 60_000],
    ['at its expiry if the grace period is longer', HOUR_MS, 7_200, HOUR_MS],
    ['immediately with a grace period of 0', HOUR_MS, 0, 0],
  ])(
    'expires the old key %s, and not the successor',
    async (_when, expiryMs, gracePeriodSeconds, expiresInMs) => {
      const expiresAt = expiryMs === undefined ? undefined : keys.timeIn(expiryMs);
      const old = await keys.createKey({ ...(expiresAt && { expiresAt }) });
      const successor = (await keys.rotate(old.id, gracePeriodSeconds)).json as CreatedKey;
      expect(successor.expiresAt).toBe(expiresAt);
      expect((await keys.find(old.id))?.expiresAt).toBe(keys.timeIn(expiresInMs));
      if (expiresInMs > 0) {
        service.clock.advance(expiresInMs - 1);
        expect([await keys.isValid(old), await keys.isValid(successor)]).toEqual([true, true]);
        service.clock.advance(1);
      }
      expect(await keys.isValid(old)).toBeFalse();
      expect(await keys.isValid(successor)).toBe(expiryMs !== expiresInMs);
    },
  );

  test.each([
    ['later than', 24 * HOUR_MS],
    ['earlier than', 60_000],
  ])('creates a successor with an expiry %s that of the old key', async (_how, expiresInMs) => {
    const old = await keys.createKey({ expiresAt: keys.timeIn(HOUR_MS) });
    const expiresAt = keys.timeIn(expiresInMs);
    const successor = (await keys.rotate(old.id, 366 * 86_400, expiresAt)).json as CreatedKey;
    expect(successor.expiresAt).toBe(expiresAt);
    expect((await keys.find(old.id))?.expiresAt).toBe(old.expiresAt);
    service.clock.advance(expiresInMs - 1);
    expect(await keys.isValid(successor)).toBeTrue();
    service.clock.advance(1);
    expect(await keys.isValid(successor)).toBeFalse();
  });

  test.each([
    ['now', 'must be in the future'],
    ['9999-12-31T23:59:59-23:00', 'must be before the year 10000 in UTC'],
    ['tomorrow', 'must be a time such as'],
  ])('returns 400 for an expiry of %s, and does not rotate the key', async (time, problem) => {
    const old = await keys.createKey();
    const expiresAt = time === 'now' ? keys.timeIn(0) : time;
    const { code, json } = await keys.rotate(old.id, 60, expiresAt);
    expect(code).toBe('validation_failed');
    expect(json).toMatchObject({ message: expect.stringContaining(`expiresAt: ${problem}`) });
    expect((await keys.rotate(old.id)).status).toBe(201);
  });

  test('returns 404 for a revoked or expired key, and creates none', async () => {
    const revoked = await keys.createKey();
    await keys.revoke(revoked.id);
    const expired = await keys.createKey({ expiresAt: keys.timeIn(1) });
    service.clock.advance(1);
    const before = (await keys.list()).text;
    for (const { id } of [revoked, expired])
      expect((await keys.rotate(id)).json).toMatchObject(NOT_FOUND);
    expect((await keys.list()).text).toBe(before);
  });

  test('returns 404 for a key with a successor, and rotates the successor', async () => {
    const old = await keys.createKey();
    const successor = (await keys.rotate(old.id)).json as CreatedKey;
    const message = expect.stringContaining('has a successor');
    expect((await keys.rotate(old.id)).json).toMatchObject({ ...NOT_FOUND, message });
    expect([await keys.isValid(old), await keys.isValid(successor)]).toEqual([true, true]);
    expect((await keys.rotate(successor.id)).status).toBe(201);
  });

  test.each([undefined, null, -1, 1.5, '60', 366 * 86_400 + 1])(
    'returns 400 for a grace period of %p',
    async (gracePeriodSeconds) => {
      const { id } = await keys.createKey();
      const body = { gracePeriodSeconds };
      const { code } = await service.request('POST', `/v1/api-keys/${id}/rotate`, { body });
      expect(code).toBe('validation_failed');
    },
  );

  test('grants the scopes of the old key to a key with keys:admin only', async () => {
    const { secret } = await service.issueKey(['keys:admin']);
    const { key } = await service.issueKey(['pets:write']);
    const { json } = await service.request('POST', `/v1/api-keys/${key.id}/rotate`, {
      key: secret,
      body: { gracePeriodSeconds: 0 },
    });
    expect(json).toMatchObject({ scopes: ['pets:write'], key: expect.any(String) });
  });
});
