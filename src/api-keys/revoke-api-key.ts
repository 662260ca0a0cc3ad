import { refuse } from '../http/contract/errors.ts';
import type { AfterCommit, Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import type { Observe } from '../observe/observation.ts';
import { wait } from '../steps.ts';
import { KEY_PARAMS } from './api-key-resource.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'delete',
  path: '/api-keys/{keyId}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description:
    'Revokes a key permanently. The next request with it gets 401; other processes on one PostgreSQL ' +
    'database may accept it for five more seconds.',
  scope: 'keys:admin',
  stability: 'beta',
  params: KEY_PARAMS,
  responses: { 204: { description: 'The key was revoked.' } },
  errors: ['key_not_found', 'precondition_failed'],
});

interface Deps {
  readonly apiKeys: ApiKeyStore;
  readonly keyring: Keyring;
}

export const handleRevokeApiKey: Handler<typeof revokeApiKey, Deps> = function* (
  { apiKeys, keyring },
  { params: { keyId }, precondition },
) {
  const key = yield* wait(apiKeys.findById(keyId));
  if (key === undefined || key.revokedAt !== null) return refuse('key_not_found');
  const refusal = precondition(null);
  if (refusal) return refusal;
  yield* wait(keyring.revoke(apiKeys, keyId));
  return { status: 204 };
};

export const reportRevokedApiKey: AfterCommit<typeof revokeApiKey, { observe: Observe }> = (
  { observe },
  { requestId, input },
) =>
  observe({
    kind: 'api_key_revoked',
    requestId,
    actorKeyId: input.keyId,
    keyId: input.params.keyId,
  });
