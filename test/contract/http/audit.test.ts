/** The log has each change of an API key and each refused credential, and never a key. */
import { describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/api-keys/api-key.ts';
import { Keyring } from '../../../src/api-keys/keyring.ts';
import type { Observation } from '../../../src/observe/observation.ts';
import { startService } from '../../support/service.ts';
import { useFreshService } from '../use-fresh-service.ts';

const HOUR_MS = 60 * 60 * 1_000;

const service = useFreshService();

const observed = () => service.observed.filter(({ kind }) => kind !== 'request');

describe('a change of an API key', () => {
  const create = (headers = {}) =>
    service.request('POST', '/v1/api-keys', {
      headers,
      body: { name: 'till', scopes: ['pets:read'], expiresAt: '2028-01-01T00:00:00Z' },
    });

  test('is reported with the key, what it may do, and the key of the request', async () => {
    const { json } = await create({ 'X-Request-Id': 'first' });
    const { id } = json as { id: number };
    const body = { gracePeriodSeconds: 60 };
    const rotation = await service.request('POST', `/v1/api-keys/${id}/rotate`, { body });
    const successor = rotation.json as { id: number };
    await service.request('DELETE', `/v1/api-keys/${successor.id}`);
    const rights = {
      keyName: 'till',
      scopes: ['pets:read'],
      expiresAt: '2028-01-01T00:00:00.000Z',
    };
    const actor = { requestId: expect.any(String), actorKeyId: 1 };
    expect(observed()).toEqual([
      { kind: 'api_key_created', requestId: 'first', actorKeyId: 1, keyId: id, ...rights },
      { kind: 'api_key_rotated', ...actor, keyId: id, successorId: successor.id, ...rights },
      { kind: 'api_key_revoked', ...actor, keyId: successor.id },
    ]);
  });

  test('is reported once, even if the request is repeated with its Idempotency-Key', async () => {
    for (let time = 0; time < 3; time += 1) await create({ 'Idempotency-Key': 'once' });
    expect(observed()).toMatchObject([{ kind: 'api_key_created' }]);
  });

  test('that is refused is not reported', async () => {
    await service.request('POST', '/v1/api-keys', { body: { name: '' } });
    await service.request('DELETE', '/v1/api-keys/4711');
    await service.request('POST', '/v1/api-keys/4711/rotate', { body: { gracePeriodSeconds: 1 } });
    expect(observed()).toEqual([]);
  });
});

describe('a refused credential', () => {
  const send = (credential: string) => service.request('GET', '/v1/pets', { key: credential });
  const refused = (reason: string, hint?: string, keyId?: number): Observation[] => [
    {
      kind: 'credential_refused',
      requestId: expect.any(String),
      reason,
      hint,
      keyId,
      clientAddress: undefined,
    },
  ];
  const hintOf = (key: string) => `${key.slice(0, 9)}…${key.slice(-4)}`;

  test.each([
    'hunter2',
    'two words',
    'ask_live_short',
    `ask_live_${'0'.repeat(31)}3LlkJL`, // One character too long, with its checksum.
    'ask_prod_'.padEnd(45, 'x'),
  ])(
    'that does not have the form of a key is malformed, and nothing of it is reported: %s',
    async (credential) => {
      await send(credential);
      expect(observed()).toEqual(refused('malformed'));
    },
  );

  test('with a wrong checksum is malformed', async () => {
    const key = `${service.key.slice(0, -1)}${service.key.endsWith('0') ? '1' : '0'}`;
    await send(key);
    expect(observed()).toEqual(refused('malformed', hintOf(key)));
  });

  test('of the other environment is reported as such', async () => {
    const key = generateKey('staging');
    await send(key);
    expect(observed()).toEqual(refused('wrong_environment', hintOf(key)));
    const keyring = new Keyring({ clock: service.clock, environment: 'staging' });
    const inStaging = keyring.verify(service.database.read.apiKeys, service.key);
    expect(inStaging).toMatchObject({ reason: 'wrong_environment', hint: hintOf(service.key) });
  });

  test('that was never created is unknown', async () => {
    const key = generateKey('production');
    await send(key);
    expect(observed()).toEqual(refused('unknown', hintOf(key)));
  });

  test('that expired or was revoked is reported with the id of the key', async () => {
    const expired = await service.issueKey(undefined, service.clock.now() + HOUR_MS);
    const revoked = await service.issueKey();
    await service.revokeKey(revoked.key.id);
    service.clock.advance(HOUR_MS);
    await send(expired.secret);
    await send(revoked.secret);
    expect(observed()).toEqual([
      ...refused('expired', hintOf(expired.secret), expired.key.id),
      ...refused('revoked', hintOf(revoked.secret), revoked.key.id),
    ]);
  });

  test('that is missing, or of another scheme, is not reported', async () => {
    await service.request('GET', '/v1/pets', { key: null });
    const headers = { Authorization: 'Basic dXNlcjpwYXNz' };
    await service.request('GET', '/v1/pets', { key: null, headers });
    expect(observed()).toEqual([]);
  });

  test('is reported with the address of the client if the log contains addresses', async () => {
    await using open = await startService({ logClientAddress: true });
    const headers = { Authorization: 'Bearer wrong', 'X-Forwarded-For': '192.0.2.7' };
    await open.request('GET', '/v1/pets', { key: null, headers });
    expect(open.observed).toMatchObject([
      { kind: 'credential_refused', clientAddress: '192.0.2.7' },
      { kind: 'request', clientAddress: '192.0.2.7' },
    ]);
  });
});
