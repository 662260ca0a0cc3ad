/**
 * Guarantee: an operation does nothing without a valid credential with its scope.
 * Generated from the operations, so that each new one is tested.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { generateKey } from '../../../src/api-keys/api-key.ts';
import { operationsOf } from '../../../src/app.ts';
import type { Operation } from '../../../src/http/contract/operation.ts';
import { SCOPES, type Scope } from '../../../src/http/contract/scopes.ts';
import type { Int64 } from '../../../src/int64.ts';
import { BY_TEST } from '../../support/cause.ts';
import { useService } from '../../support/service.ts';
import { addDelivery, sharedReceiver } from '../../support/webhook-receiver.ts';

let writes = 0;
const service = useService({
  wrap: (database) => ({
    ...database,
    write(cause, work) {
      writes += 1;
      return database.write(cause, work);
    },
    addPet(cause, pet) {
      writes += 1;
      return database.addPet(cause, pet);
    },
  }),
});
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
  kept = await createResources();
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

type Ids = Readonly<Record<string, Int64>>;

async function createResources(): Promise<Ids> {
  const animal = { name: 'Rex', categoryId: 1, status: 'available' } as const;
  const [pet, held, { key }] = await Promise.all([
    service.addPet(animal),
    service.addPet({ ...animal, status: 'pending' }),
    service.issueKey(['pets:read']),
  ]);
  const categoryId = 1_000_000 + key.id;
  const createdAt = new Date(service.clock.now()).toISOString();
  const expiresAt = new Date(service.clock.now() + 60_000).toISOString();
  const order = { petId: held.id, status: 'placed', createdAt, expiresAt } as const;
  const { database } = service;
  const [{ id: orderId }] = await Promise.all([
    database.write(BY_TEST, ({ orders }) => orders.create(order)),
    database.write(BY_TEST, ({ categories }) =>
      categories.create({ id: categoryId, name: 'Dogs' }),
    ),
  ]);
  const webhooks = await addDelivery(service);
  return { petId: pet.id, categoryId, orderId, keyId: key.id, ...webhooks };
}

/** A valid request, from the declaration of the operation. */
function requestFor({ path, body }: Operation, ids: Ids) {
  const [example] = Object.values(body?.examples ?? {});
  const fields = Object.entries(example ?? {}).map(([name, value]) => [
    name,
    name === 'url' ? sharedReceiver() : (ids[name] ?? value),
  ]);
  return {
    path: `/v1${path.replaceAll(/\{(\w+)\}/g, (_whole, name) => String(ids[name]))}`,
    ...(body && { body: Object.fromEntries(fields) }),
  };
}

const OPERATIONS = operationsOf(true).map((bound) => bound.operation);

describe.each(OPERATIONS)('$id', (declared) => {
  test.each(CREDENTIALS)('needs its scope (credential: %s)', async (credential) => {
    const code = errorCodeOf(declared, credential);
    const ids = code === undefined ? await createResources() : kept;
    const { path, ...request } = requestFor(declared, ids);
    const authorization = headers[credential];
    const before = writes;
    const {
      status,
      json,
      headers: received,
    } = await service.request(declared.method.toUpperCase(), path, {
      ...request,
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
      expect(writes > before).toBe(declared.method !== 'get');
      return;
    }
    const isUnauthenticated = code.startsWith('credential');
    expect(json).toMatchObject({ code, status: isUnauthenticated ? 401 : 403 });
    expect(received.get('www-authenticate')).toBe(CHALLENGES[code]?.(declared.scope) ?? '');
    expect(writes).toBe(before);
  });
});
