/**
 * Guarantee: without a valid credential, a client cannot read, change or find out anything under
 * /v1. A credential becomes invalid in the moment it is revoked or expires.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/api-keys/api-key.ts';
import { startService, useService } from '../../support/service.ts';

const MISSING = 'Bearer realm="animal-store"';
const INVALID = 'Bearer realm="animal-store", error="invalid_token"';

describe.each([true, false])('with extensions: %p', (extensions) => {
  const service = useService({ options: { extensions } });
  beforeAll(async () => {
    await service.addPet({ name: 'Rex', categoryId: 1 });
  });

  const withHeader = (authorization: string) =>
    service.request('GET', '/v1/pets', { key: null, headers: { Authorization: authorization } });

  describe('a missing credential', () => {
    test('is 401 with a challenge without an error attribute', async () => {
      const response = await service.request('GET', '/v1/pets', { key: null });
      expect(response.json).toMatchObject({ code: 'credential_missing', status: 401 });
      expect(response.headers.get('www-authenticate')).toBe(MISSING);
    });

    test.each(['Basic dXNlcjpwYXNz', 'Digest x="y"', 'Token abc', 'Bearerx abc'])(
      'is assumed for another scheme, %s (RFC 6750 §3)',
      async (header) => {
        const response = await withHeader(header);
        expect(response.json).toMatchObject({ code: 'credential_missing', status: 401 });
        expect(response.headers.get('www-authenticate')).toBe(MISSING);
      },
    );

    test('is not read from the query', async () => {
      const path = `/v1/pets?access_token=${service.key}&api_key=${service.key}`;
      const response = await service.request('GET', path, { key: null });
      expect(response.json).toMatchObject({ code: 'credential_missing' });
    });
  });

  describe('a credential is 401 credential_invalid if it is', () => {
    async function expectInvalid(header: string): Promise<void> {
      const response = await withHeader(header);
      const message = 'The API key is not valid.';
      expect(response.json).toEqual({ code: 'credential_invalid', message, status: 401 });
      expect(response.headers.get('www-authenticate')).toBe(INVALID);
    }

    test.each([
      ...['Bearer', 'Bearer ', 'Bearer a b', 'Bearer ä', 'Bearer a,b', 'bearer x', ''],
      ...['Bearer ask_live_', ':', `Bearer ${'x'.repeat(5_000)}`],
    ])('malformed (%j)', (header) => expectInvalid(header));

    test('unknown', () => expectInvalid(`Bearer ${generateKey('production')}`));

    test('a key with one wrong character', async () => {
      for (let at = 0; at < service.key.length; at += 1) {
        const typo = service.key[at] === 'x' ? 'y' : 'x';
        await expectInvalid(
          `Bearer ${service.key.slice(0, at)}${typo}${service.key.slice(at + 1)}`,
        );
      }
    });

    test('a key of the other environment', async () => {
      await using staging = await startService({ environment: 'staging', options: { extensions } });
      expect(staging.key).toStartWith('ask_test_');
      expect(service.key).toStartWith('ask_live_');
      await expectInvalid(`Bearer ${staging.key}`);
      expect((await staging.request('GET', '/v1/pets', { key: service.key })).status).toBe(401);
    });
  });

  test.each(['Bearer', 'bearer', 'BEARER', 'BeArEr'])(
    'a valid credential may use the scheme %s',
    async (scheme) => {
      expect((await withHeader(`${scheme} ${service.key}`)).status).toBe(200);
      expect((await withHeader(`${scheme}   ${service.key}`)).status).toBe(200);
    },
  );

  describe('an API key', () => {
    test('is a prefix, 30 random base62 characters and a CRC-32 of both in 6', () => {
      const zeros = (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(0);
      const random = '0'.repeat(30);
      // The last six are binascii.crc32 of Python, in base 62.
      expect(generateKey('production', zeros)).toBe(`ask_live_${random}2j6gTR`);
      expect(generateKey('staging', zeros)).toBe(`ask_test_${random}2Ict2g`);
    });

    test('has each of the 62 characters equally often', () => {
      const counts = new Map<string, number>();
      for (let round = 0; round < 2_000; round += 1) {
        const key = generateKey('production');
        for (const character of key.slice(9, 39))
          counts.set(character, (counts.get(character) ?? 0) + 1);
      }
      const expected = (2_000 * 30) / 62;
      expect(counts.size).toBe(62);
      // Six standard deviations: a fair generator fails this once in ten million runs.
      for (const count of counts.values())
        expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
    });

    test('is not in the database, nor is its random part', async () => {
      const bytes = await service.storedBytes();
      expect(bytes.includes('ask_live_…')).toBe(true);
      expect(bytes.includes(service.key)).toBe(false);
      expect(bytes.includes(service.key.slice(9, 39))).toBe(false);
    });

    test('is not in any observation', async () => {
      await service.request('GET', `/v1/pets?key=${service.key}`);
      await service.request('GET', `/v1/${service.key}`);
      expect(JSON.stringify(service.observed)).not.toContain(service.key);
    });
  });
});
