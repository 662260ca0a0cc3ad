import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import type { AfterCommit, Handler } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import type { Observe } from '../observe/observation.ts';
import { wait } from '../steps.ts';
import {
  describeIssued,
  EXAMPLE_KEY,
  IssuedApiKeyBody,
  KEY_PARAMS,
  RotationBody,
  refuseExpiresAt,
} from './api-key-resource.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import type { Keyring } from './keyring.ts';

export const rotateApiKey = operation({
  id: 'rotateApiKey',
  method: 'post',
  path: '/api-keys/{keyId}/rotate',
  tag: 'API keys',
  summary: 'Rotate an API key',
  description:
    'Creates a successor with the same name and scopes, and returns it with its secret. It expires at `expiresAt`, or when the old key ' +
    'would have expired without the rotation. The old key expires after the grace period, or at its own expiry if that is earlier. A key ' +
    'has one successor: to rotate again, rotate the successor. The successor may have scopes ' +
    'that the key of the request does not have, and may be valid longer.',
  scope: 'keys:admin',
  stability: 'beta',
  params: KEY_PARAMS,
  body: {
    schema: RotationBody,
    examples: {
      anHour: { gracePeriodSeconds: 3600 },
      renewed: { gracePeriodSeconds: 3600, expiresAt: '2099-01-01T00:00:00Z' },
    },
  },
  responses: {
    201: {
      description: 'The successor was created.',
      schema: IssuedApiKeyBody,
      example: { ...EXAMPLE_KEY, id: 3, key: 'ask_live_00000000000000000000000000000000f4Qx' },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: ['validation_failed', 'key_not_found'],
});

interface Deps {
  readonly apiKeys: ApiKeyStore;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

const NOT_ROTATABLE =
  'No API key with this identifier can be rotated: it is unknown, expired or revoked, or it has a successor.';

export const handleRotateApiKey: Handler<typeof rotateApiKey, Deps> = function* (
  { apiKeys, keyring, clock },
  { params: { keyId }, body: { gracePeriodSeconds, expiresAt } },
) {
  const refusal = refuseExpiresAt(expiresAt, clock.now());
  if (refusal) return refusal;
  const graceMs = gracePeriodSeconds * 1000;
  const issued = yield* wait(keyring.rotate(apiKeys, keyId, { graceMs, expiresAt }));
  return issued
    ? { status: 201, body: describeIssued(issued), headers: NO_STORE }
    : refuse('key_not_found', NOT_ROTATABLE);
};

export const reportRotatedApiKey: AfterCommit<typeof rotateApiKey, { observe: Observe }> = (
  { observe },
  { requestId, input, result: { body } },
) =>
  observe({
    kind: 'api_key_rotated',
    requestId,
    actorKeyId: input.keyId,
    keyId: input.params.keyId,
    successorId: body.id,
    keyName: body.name,
    scopes: body.scopes,
    expiresAt: body.expiresAt,
  });
