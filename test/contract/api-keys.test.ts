/** API keys over HTTP: made, listed, rotated and revoked by who has the scope keys:admin. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SCOPES, type Scope } from '../../src/http/contract/scopes.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface TestKey {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt?: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}
type IssuedTestKey = TestKey & { readonly key: string };

const HOUR_MS = 3_600_000;
const SECRET = /^ask_live_[0-9A-Za-z]{36}$/;
const NOT_FOUND = { code: 'key_not_found', status: 404 };

const inFuture = (ms: number) => new Date(service.clock.now() + ms).toISOString();
const create = (body: unknown) => service.request('POST', '/v1/api-keys', { body });
const make = async (fields: object = {}) =>
  (await create({ name: 'web shop', ...fields })).json as IssuedTestKey;
const rotate = (id: unknown, gracePeriodSeconds: unknown = 60) =>
  service.request('POST', `/v1/api-keys/${id}/rotate`, { body: { gracePeriodSeconds } });
const revoke = (id: unknown) => service.request('DELETE', `/v1/api-keys/${id}`);
const list = async (query = '?limit=100') => service.request('GET', `/v1/api-keys${query}`);
const listed = async (id: number) =>
  ((await list(`?limit=100`)).json as TestKey[]).find((key) => key.id === id);
const holds = async ({ key }: IssuedTestKey) =>
  (await service.request('GET', '/v1/pets', { key })).status === 200;

describe('POST /api-keys', () => {
  test('is 201 with the key and what is known of it, not to be stored by caches', async () => {
    const expiresAt = inFuture(HOUR_MS);
    const scopes = ['orders:read', 'pets:read'];
    const { status, json, headers } = await create({ name: 'web shop', scopes, expiresAt });
    const { id, key } = json as IssuedTestKey;
    expect(status).toBe(201);
    expect(key).toMatch(SECRET);
    expect(json).toEqual({
      id,
      name: 'web shop',
      hint: `ask_live_…${key.slice(-4)}`,
      scopes,
      createdAt: inFuture(0),
      expiresAt,
      key,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('etag')).toBeNull();
  });

  test('makes a key that holds at once, until it expires, and may do what its scopes say', async () => {
    const made = await make({ scopes: ['pets:read'], expiresAt: inFuture(HOUR_MS) });
    expect(await holds(made)).toBeTrue();
    const other = await service.request('GET', '/v1/store/orders', { key: made.key });
    expect(other.json).toMatchObject({ code: 'scope_missing' });
    service.clock.advance(HOUR_MS);
    expect(await holds(made)).toBeFalse();
  });

  test('without scopes gives all but keys:admin, without expiresAt one that never ends', async () => {
    const made = await make();
    expect(made.scopes).toEqual(SCOPES.filter((scope) => scope !== 'keys:admin'));
    expect(made).not.toHaveProperty('expiresAt');
  });

  test('gives a scope that is named twice once', async () => {
    const { scopes } = await make({ scopes: ['pets:read', 'pets:write', 'pets:read'] });
    expect(scopes).toEqual(['pets:read', 'pets:write']);
  });

  test('may use a name again: it makes another key', async () => {
    const [one, other] = [await make(), await make()];
    expect(one.name).toBe(other.name);
    expect(one.id).not.toBe(other.id);
    expect(one.key).not.toBe(other.key);
  });

  test('that would end after the year 9999 is 400: no date-time can tell it', async () => {
    const answer = await create({ name: 'late', expiresAt: '9999-12-31T23:59:59-12:00' });
    expect(answer.json).toMatchObject({ code: 'validation_failed', status: 400 });
  });

  test('reads expiresAt in any offset, and tells it in UTC', async () => {
    const { expiresAt } = await make({ expiresAt: '2028-01-01T01:00:00+02:00' });
    expect(expiresAt).toBe('2027-12-31T23:00:00.000Z');
  });

  test.each([
    ['no name', { name: undefined }],
    ['a blank name', { name: ' ' }],
    ['an unknown scope', { scopes: ['pets:admin'] }],
    ['no scope at all', { scopes: [] }],
    ['scopes in one text', { scopes: 'pets:read' }],
    ['expiresAt in the past', { expiresAt: '2026-12-31T23:59:59Z' }],
    ['expiresAt that is no time', { expiresAt: 'tomorrow' }],
    ['expiresAt that is no day', { expiresAt: '2028-02-30T00:00:00Z' }],
    ['expiresAt without an offset', { expiresAt: '2028-01-01T00:00:00' }],
    ['expiresAt null', { expiresAt: null }],
  ])('with %s is 400, and makes none', async (_what, fields) => {
    const before = (await list()).text;
    const { json } = await create({ name: 'web shop', ...fields });
    expect(json).toMatchObject({ code: 'validation_failed', status: 400 });
    expect((await list()).text).toBe(before);
  });

  test('with expiresAt at this very moment is 400', async () => {
    expect((await create({ name: 'late', expiresAt: inFuture(0) })).status).toBe(400);
    expect((await create({ name: 'in time', expiresAt: inFuture(1) })).status).toBe(201);
  });
});

describe('GET /api-keys', () => {
  test('never tells a key: only its beginning and end', async () => {
    const made = await make();
    const { text } = await list();
    expect(text).toContain(made.hint);
    expect(text).not.toContain(made.key.slice(9, 35));
    expect(text).not.toMatch(/ask_live_\w/);
    expect(await listed(made.id)).not.toHaveProperty('key');
  });

  test('shows every key ever made, ascending by id, with when it was revoked', async () => {
    const { key: _told, ...kept } = await make();
    service.clock.advance(1_000);
    await revoke(kept.id);
    expect(await listed(kept.id)).toEqual({ ...kept, revokedAt: inFuture(0) });
    const ids = ((await list()).json as TestKey[]).map(({ id }) => id);
    expect(ids).toEqual(Array.from(ids, (_id, index) => index + 1));
  });

  test('is paged by Link, each key once', async () => {
    const walked: TestKey[] = [];
    let next: string | undefined = '?limit=4';
    while (next !== undefined) {
      const { json, headers } = await list(next);
      expect((json as TestKey[]).length).toBeLessThanOrEqual(4);
      walked.push(...(json as TestKey[]));
      const link = headers.get('link') ?? '';
      next = /^<https:\/\/store\.test\/v1\/api-keys(\S+)>; rel="next"$/.exec(link)?.[1];
    }
    expect(walked).toEqual((await list()).json as TestKey[]);
    expect((await list('?cursor=AAAAAAAAAAAAAAAA')).json).toMatchObject({ code: 'invalid_cursor' });
  });

  test('shows when a key was last used, once usage is written down', async () => {
    const made = await make();
    expect(await holds(made)).toBeTrue();
    const usedAt = inFuture(0);
    expect(await listed(made.id)).not.toHaveProperty('lastUsedAt');
    await service.usage.flush();
    expect((await listed(made.id))?.lastUsedAt).toBe(usedAt);
  });
});

describe('DELETE /api-keys/{keyId}', () => {
  test('revokes from the next request on: 204, and again 404', async () => {
    const made = await make();
    expect(await holds(made)).toBeTrue();
    const { status, text } = await revoke(made.id);
    expect([status, text]).toEqual([204, '']);
    expect(await holds(made)).toBeFalse();
    expect((await revoke(made.id)).json).toMatchObject(NOT_FOUND);
  });

  test('may revoke the key that it is asked with', async () => {
    const { id, key } = await make({ scopes: ['keys:admin'] });
    const again = () => service.request('DELETE', `/v1/api-keys/${id}`, { key });
    expect((await again()).status).toBe(204);
    expect((await again()).json).toMatchObject({ code: 'credential_invalid' });
  });
});

describe('POST /api-keys/{keyId}/rotate', () => {
  test('makes a successor with the same name, scopes and expiry, told once and not to be stored', async () => {
    const old = await make({ scopes: ['pets:read'], expiresAt: inFuture(24 * HOUR_MS) });
    service.clock.advance(1_000);
    const { status, json, headers } = await rotate(old.id);
    const { id, key, hint } = json as IssuedTestKey;
    expect(status).toBe(201);
    expect(json).toEqual({ ...old, id, key, hint, createdAt: inFuture(0) });
    expect(key).toMatch(SECRET);
    expect([id, key]).not.toEqual([old.id, old.key]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['now + grace', undefined, 60, 60_000],
    ['now + grace, which is before its expiry', HOUR_MS, 60, 60_000],
    ['its expiry, which is before now + grace', HOUR_MS, 7_200, HOUR_MS],
    ['this very moment, with a grace of 0', HOUR_MS, 0, 0],
  ])('lets the old key end at %s, and the successor hold', async (_when, expiry, grace, endsIn) => {
    const expiresAt = expiry === undefined ? undefined : inFuture(expiry);
    const old = await make({ ...(expiresAt && { expiresAt }) });
    const successor = (await rotate(old.id, grace)).json as IssuedTestKey;
    expect(successor.expiresAt).toBe(expiresAt);
    expect((await listed(old.id))?.expiresAt).toBe(inFuture(endsIn));
    if (endsIn > 0) {
      service.clock.advance(endsIn - 1);
      expect([await holds(old), await holds(successor)]).toEqual([true, true]);
      service.clock.advance(1);
    }
    expect(await holds(old)).toBeFalse();
    expect(await holds(successor)).toBe(expiry !== endsIn);
  });

  test('of a key that was revoked or has expired is 404 key_not_found, and makes none', async () => {
    const revoked = await make();
    await revoke(revoked.id);
    const expired = await make({ expiresAt: inFuture(1) });
    service.clock.advance(1);
    const before = (await list()).text;
    for (const { id } of [revoked, expired])
      expect((await rotate(id)).json).toMatchObject(NOT_FOUND);
    expect((await list()).text).toBe(before);
  });

  test('of a key that has a successor is 404 key_not_found, and the successor can be rotated', async () => {
    const old = await make();
    const successor = (await rotate(old.id)).json as IssuedTestKey;
    const again = await rotate(old.id);
    expect(again.json).toMatchObject({
      ...NOT_FOUND,
      message: expect.stringContaining('has a successor'),
    });
    expect([await holds(old), await holds(successor)]).toEqual([true, true]);
    expect((await rotate(successor.id)).status).toBe(201);
  });

  test('20 times at once makes one successor', async () => {
    const old = await make();
    const answers = await Promise.all(Array.from({ length: 20 }, () => rotate(old.id)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(19);
    expect(await holds(made[0]?.json as IssuedTestKey)).toBeTrue();
  });

  test.each([undefined, null, -1, 1.5, '60', 366 * 86_400 + 1])(
    'with a grace of %p is 400',
    async (gracePeriodSeconds) => {
      const { id } = await make();
      const body = { gracePeriodSeconds };
      const { json } = await service.request('POST', `/v1/api-keys/${id}/rotate`, { body });
      expect(json).toMatchObject({ code: 'validation_failed' });
    },
  );
});

test.each(['0', '99999999', 'abc', '1.0', '01', '-1', '9007199254740993', '9223372036854775808'])(
  'keyId %s is 404 key_not_found, to revoke and to rotate',
  async (id) => {
    expect((await revoke(id)).json).toMatchObject(NOT_FOUND);
    expect((await rotate(id)).json).toMatchObject(NOT_FOUND);
  },
);
