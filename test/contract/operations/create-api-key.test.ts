/** createApiKey: POST /api-keys. */
import { describe, expect, test } from 'bun:test';
import document from '../../../openapi.json' with { type: 'json' };
import { isObeyedByTerminals } from '../../../src/control-characters.ts';
import { SCOPES } from '../../../src/http/contract/scopes.ts';
import { useService } from '../../support/service.ts';
import { apiKeyRequests, type CreatedKey } from '../api-key-requests.ts';

const service = useService();
const keys = apiKeyRequests(service);

const HOUR_MS = 3_600_000;

describe('createApiKey', () => {
  test('returns 201 with the key', async () => {
    const expiresAt = keys.timeIn(HOUR_MS);
    const scopes = ['orders:read', 'pets:read'];
    const response = await keys.create({ name: 'web shop', scopes, expiresAt });
    const { id, key } = response.json as CreatedKey;
    expect(response.status).toBe(201);
    expect(key).toMatch(/^ask_live_[0-9A-Za-z]{36}$/);
    expect(response.json).toEqual({
      id,
      name: 'web shop',
      hint: `ask_live_…${key.slice(-4)}`,
      scopes,
      createdAt: keys.timeIn(0),
      expiresAt,
      key,
    });
  });

  test('grants pets:read alone by default, without an expiry', async () => {
    const created = await keys.createKey();
    expect(created.scopes).toEqual(['pets:read']);
    expect(created).not.toHaveProperty('expiresAt');
  });

  test.each([
    ...['a\u001b[2Jb', 'a\nb', 'a\u007fb', 'a\u009bb', 'a\u202eb', 'a\u2066b'],
    ...['a\u061cb', 'a\u200eb', 'a\u200fb'],
  ])('refuses the name %j, because operators read names in a terminal', async (name) => {
    expect((await keys.create({ name })).json).toEqual({
      code: 'validation_failed',
      message: 'name: must not contain control characters',
      status: 400,
    });
  });

  test.each(['Zoë', 'متجر', 'a\u200db', '👩\u200d💻', 'x'.repeat(255)])(
    'accepts the name %j',
    async (name) => {
      expect((await keys.create({ name })).json).toMatchObject({ name });
    },
  );

  test('documents a pattern of names that excludes exactly the control characters', () => {
    const pattern = new RegExp(document.components.schemas.NewApiKey.properties.name.pattern);
    for (let code = 0; code < 0x1_0000; code += 1) {
      const character = String.fromCharCode(code);
      if (pattern.test(`a${character}b`) === isObeyedByTerminals(character))
        throw new Error(`The pattern is wrong for U+${code.toString(16)}.`);
    }
    expect(pattern.test(' ')).toBe(false);
  });

  test('removes duplicate scopes', async () => {
    const { scopes } = await keys.createKey({ scopes: ['pets:read', 'pets:write', 'pets:read'] });
    expect(scopes).toEqual(['pets:read', 'pets:write']);
  });

  test('returns 400 for an expiry at the present time', async () => {
    const statusFor = async (expiresAt: string) =>
      (await keys.create({ name: 'late', expiresAt })).status;
    expect(await statusFor(keys.timeIn(0))).toBe(400);
    expect(await statusFor(keys.timeIn(1))).toBe(201);
    expect(await statusFor('9999-12-31T23:59:59.999Z')).toBe(201);
  });

  test.each([
    ['without a name', { name: undefined }],
    ['with a blank name', { name: ' ' }],
    ['with an unknown scope', { scopes: ['pets:admin'] }],
    ['with no scopes', { scopes: [] }],
    ['with more than 100 scopes', { scopes: Array(101).fill('pets:read') }],
    ['with scopes as a string', { scopes: 'pets:read' }],
    ['with expiresAt after the year 9999', { expiresAt: '9999-12-31T23:00:00-01:00' }],
  ])('returns 400 %s, and creates no key', async (_what, fields) => {
    const before = (await keys.list()).text;
    const { json } = await keys.create({ name: 'web shop', ...fields });
    expect(json).toMatchObject({ code: 'validation_failed', status: 400 });
    expect((await keys.list()).text).toBe(before);
  });

  test('names the index of an invalid scope', async () => {
    const { json } = await keys.create({ name: 'shop', scopes: ['pets:read', 'pets:eat'] });
    const message = expect.stringMatching(/^scopes\[1\]: must be one of pets:read, /);
    expect(json).toMatchObject({ code: 'validation_failed', message });
  });

  test('grants every scope to a key with keys:admin only', async () => {
    const { secret: key } = await service.issueKey(['keys:admin']);
    const body = { name: 'all', scopes: SCOPES };
    const { json } = await service.request('POST', '/v1/api-keys', { key, body });
    expect(json).toMatchObject({ scopes: SCOPES });
  });
});
