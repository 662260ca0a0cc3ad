import { refuse } from '../http/errors.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import { keyIdParameter } from './api-key-resource.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const revokeApiKey = operation({
  id: 'revokeApiKey',
  method: 'delete',
  path: '/api-keys/{keyId}',
  tag: 'API keys',
  summary: 'Revoke an API key',
  description: 'Ends a key for good, from the next request on, in every process.',
  scope: 'keys:admin',
  stability: 'beta',
  params: { schema: keyIdParameter, notFound: 'key_not_found' },
  answers: { 204: { description: 'The key was revoked.' } },
  errors: ['key_not_found'],
});

export const handleRevokeApiKey =
  ({
    apiKeys,
    keyring,
  }: {
    apiKeys: ApiKeyStore;
    keyring: Keyring;
  }): Handler<typeof revokeApiKey> =>
  ({ params: { keyId } }) =>
    chain(apiKeys.findById(keyId), (key) =>
      key === undefined || key.revokedAt !== null
        ? refuse('key_not_found')
        : chain(keyring.revoke(apiKeys, keyId), () => ({ status: 204 })),
    );
