import { refuse } from '../http/errors.ts';
import { type Handler, operation } from '../http/operation.ts';
import { chain } from '../maybe-promise.ts';
import {
  describeIssued,
  EXAMPLE_KEY,
  IssuedApiKeyBody,
  keyIdParameter,
  NO_STORE,
  RotationBody,
} from './api-key-resource.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const rotateApiKey = operation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/api-keys/{keyId}/rotate',
  tag: 'API keys',
  summary: 'Replace an API key',
  description:
    'Makes a successor with the same name, scopes and expiry, and tells it, this once. The old ' +
    'key ends after the grace period, or at its own expiry if that is earlier. A key has one ' +
    'successor: to replace it once more, rotate the successor. The successor may have scopes ' +
    'that the key of the request does not have.',
  scope: 'keys:admin',
  stability: 'beta',
  params: { schema: keyIdParameter, notFound: 'key_not_found' },
  body: { schema: RotationBody, examples: { anHour: { gracePeriodSeconds: 3600 } } },
  answers: {
    201: {
      description: 'The successor was made.',
      schema: IssuedApiKeyBody,
      example: { ...EXAMPLE_KEY, id: 3, key: 'ask_live_0000000000000000000000000000000000f4Qx' },
      headers: { 'Cache-Control': 'Always no-store.' },
    },
  },
  errors: ['validation_failed', 'key_not_found'],
});

export const handleRotateApiKey =
  ({
    apiKeys,
    keyring,
  }: {
    apiKeys: ApiKeyStore;
    keyring: Keyring;
  }): Handler<typeof rotateApiKey> =>
  ({ params: { keyId }, body: { gracePeriodSeconds } }) =>
    chain(keyring.rotate(apiKeys, keyId, gracePeriodSeconds * 1000), (issued) =>
      issued
        ? { status: 201, body: describeIssued(issued), headers: NO_STORE }
        : refuse('key_not_found', NOT_ROTATABLE),
    );

const NOT_ROTATABLE =
  'No API key with this identifier can be rotated: it is unknown, has ended, or has a successor.';
