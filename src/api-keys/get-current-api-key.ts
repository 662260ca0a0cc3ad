import { credentialInvalid } from '../http/contract/challenges.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { chain } from '../maybe-promise.ts';
import { CurrentApiKeyBody, describeCurrent, EXAMPLE_KEY } from './api-key-resource.ts';
import type { ApiKeyReader } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const getCurrentApiKey = operation({
  id: 'getCurrentApiKey',
  method: 'get',
  path: '/api-keys/current',
  tag: 'API keys',
  summary: 'Get the API key of the request',
  description:
    'Returns the API key that the request has, and the environment of the service. A client can check which scopes its key has, ' +
    'and when the key expires.',
  scope: null,
  stability: 'beta',
  responses: {
    200: {
      description: 'The API key of the request.',
      schema: CurrentApiKeyBody,
      example: { ...EXAMPLE_KEY, environment: 'production' },
    },
  },
  errors: ['credential_invalid'],
});

interface Deps {
  readonly apiKeys: ApiKeyReader;
  readonly keyring: Keyring;
}

export const handleGetCurrentApiKey: DirectHandler<typeof getCurrentApiKey, Deps> = (
  { apiKeys, keyring },
  { keyId },
) =>
  chain(apiKeys.findById(keyId), (key) => {
    // The service deletes no keys: somebody has deleted the row by hand.
    if (key === undefined) return credentialInvalid();
    return { status: 200, body: describeCurrent(key, keyring.environment) };
  });
