import type { Clock } from '../clock.ts';
import type { AfterCommit, Handler } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import type { Observe } from '../observe/observation.ts';
import { wait } from '../steps.ts';
import { DEFAULT_SCOPES } from './api-key.ts';
import {
  describeIssued,
  EXAMPLE_KEY,
  IssuedApiKeyBody,
  NewApiKeyBody,
  refuseExpiresAt,
} from './api-key-resource.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const createApiKey = operation({
  id: 'createApiKey',
  method: 'post',
  path: '/api-keys',
  tag: 'API keys',
  summary: 'Create an API key',
  description:
    'Creates an API key and returns it with its secret. The new key may have scopes that the key of the request ' +
    'does not have. So a key with `keys:admin` can obtain every scope: give it only to those who may do everything.',
  scope: 'keys:admin',
  stability: 'beta',
  body: {
    schema: NewApiKeyBody,
    examples: { reader: { name: 'web shop', scopes: ['pets:read'] } },
  },
  responses: {
    201: {
      description: 'The key was created.',
      schema: IssuedApiKeyBody,
      example: { ...EXAMPLE_KEY, key: 'ask_live_00000000000000000000000000000000f4Qx' },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: ['validation_failed'],
});

interface Deps {
  readonly apiKeys: ApiKeyStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

export const handleCreateApiKey: Handler<typeof createApiKey, Deps> = function* (
  { apiKeys, keyring, clock },
  { body: { name, scopes = DEFAULT_SCOPES, expiresAt } },
) {
  const refusal = refuseExpiresAt(expiresAt, clock.now());
  if (refusal) return refusal;
  const request = { name, scopes: [...new Set(scopes)], expiresAt: expiresAt ?? null };
  const issued = yield* wait(keyring.create(apiKeys, request));
  return { status: 201, body: describeIssued(issued), headers: NO_STORE };
};

export const reportCreatedApiKey: AfterCommit<typeof createApiKey, { observe: Observe }> = (
  { observe },
  { requestId, input, result: { body } },
) =>
  observe({
    kind: 'api_key_created',
    requestId,
    actorKeyId: input.keyId,
    keyId: body.id,
    keyName: body.name,
    scopes: body.scopes,
    expiresAt: body.expiresAt,
  });
