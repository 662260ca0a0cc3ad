/**
 * Guarantee: an operation does nothing without a valid credential with its scope.
 * Generated from the operations, so that each new one is tested.
 */
import { beforeAll, describe, expect, spyOn, test } from 'bun:test';
import { generateKey } from '../../../src/api-keys/api-key.ts';
import { operationsOf } from '../../../src/app.ts';
import type { Operation } from '../../../src/http/contract/operation.ts';
import { SCOPES, type Scope } from '../../../src/http/contract/scopes.ts';
import { useService } from '../../support/service.ts';
import { addResources, bodyOf, type Ids, pathOf } from '../resources.ts';

const service = useService();
/** What refused requests name: nothing changes it. */
let kept: Ids;
const headers: Record<string, string | undefined> = {};
beforeAll(async () => {
  const issue = async (scopes: readonly Scope[], expiresAt?: number) =>
    service.issueKey(scopes, expiresAt);
  const revoked = await issue(SCOPES);
  await service.revokeKey(revoked.key.id);
  const expired = await issue(SCOPES, service.clock.now());
  const unknown = generateKey('production');
  const secrets = { unknown, revoked: revoked.secret, expired: expired.secret, all: service.key };
  for (const [name, secret] of Object.entries(secrets)) headers[name] = `Bearer ${secret}`;
  headers['malformed'] = 'Bearer not a key';
  for (const scope of SCOPES) headers[scope] = `Bearer ${(await issue([scope])).secret}`;
  kept = await addResources(service);
});

const CREDENTIALS = ['none', 'malformed', 'unknown', 'revoked', 'expired', ...SCOPES, 'all'];

/** The error code for the credential, undefined if the operation runs. */
function errorCodeOf({ scope }: Operation, credential: string): string | undefined {
  if (credential === 'none') return 'credential_missing';
  if (['malformed', 'unknown', 'revoked', 'expired'].includes(credential))
    return 'credential_invalid';
  return scope === null || credential === scope || credential === 'all'
    ? undefined
    : 'scope_missing';
}

const CHALLENGES: Record<string, (needed: Scope | null) => string> = {
  credential_missing: () => 'Bearer realm="animal-store"',
  credential_invalid: () => 'Bearer realm="animal-store", error="invalid_token"',
  scope_missing: (needed) =>
    `Bearer realm="animal-store", error="insufficient_scope", scope="${needed}"`,
};

const OPERATIONS = operationsOf(true).map((bound) => bound.operation);

describe.each(OPERATIONS)('$id', (declared) => {
  test.each(CREDENTIALS)('needs its scope (credential: %s)', async (credential) => {
    const code = errorCodeOf(declared, credential);
    const ids = code === undefined ? await addResources(service) : kept;
    const authorization = headers[credential];
    using write = spyOn(service.database, 'write');
    using addPet = spyOn(service.database, 'addPet');
    const writes = () => write.mock.calls.length + addPet.mock.calls.length;
    const {
      status,
      json,
      headers: received,
    } = await service.request(declared.method.toUpperCase(), pathOf(declared, ids), {
      body: bodyOf(declared, ids),
      key: null,
      headers: {
        ...(authorization && { Authorization: authorization }),
        'Content-Type': declared.body?.isMergePatch
          ? 'application/merge-patch+json'
          : 'application/json',
      },
    });
    if (code === undefined) {
      expect(Object.keys(declared.responses)).toContain(String(status));
      expect(writes() > 0).toBe(declared.method !== 'get');
      return;
    }
    const isUnauthenticated = code.startsWith('credential');
    expect(json).toMatchObject({ code, status: isUnauthenticated ? 401 : 403 });
    expect(received.get('www-authenticate')).toBe(CHALLENGES[code]?.(declared.scope) ?? '');
    expect(writes()).toBe(0);
  });
});
