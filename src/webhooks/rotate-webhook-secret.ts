import type { Clock } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import { gracePeriodField } from '../http/contract/fields.ts';
import type { Handler } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import { z } from '../http/contract/zod.ts';
import { wait } from '../steps.ts';
import {
  describeIssued,
  ENDPOINT_PARAMS,
  EXAMPLE_ENDPOINT,
  EXAMPLE_SECRET,
  IssuedWebhookEndpoint,
} from './webhook-resource.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { WebhookStore } from './webhook-store.ts';

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'post',
  path: '/webhook-endpoints/{endpointId}/rotate-secret',
  tag: 'Webhooks',
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'Gives an endpoint a new secret, and returns it. Both secrets sign until the grace period of the old one ends. A secret that a rotation ' +
    'before has replaced ends at once.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  body: {
    schema: z
      .object({
        gracePeriodSeconds: gracePeriodField(
          MAX_GRACE_SECONDS,
          'How long the old secret still signs.',
        ),
      })
      .openapi('SecretRotation', { description: 'How to rotate a secret.' }),
    examples: { aDay: { gracePeriodSeconds: 86_400 } },
  },
  responses: {
    201: {
      description: 'The endpoint has a new secret.',
      schema: IssuedWebhookEndpoint,
      example: { ...EXAMPLE_ENDPOINT, secret: EXAMPLE_SECRET },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: ['validation_failed', 'webhook_endpoint_not_found', 'webhooks_unavailable'],
});

interface Deps {
  readonly webhooks: WebhookStore;
  readonly sender: WebhookSender | undefined;
  readonly clock: Clock;
}

export const handleRotateWebhookSecret: Handler<typeof rotateWebhookSecret, Deps> = function* (
  { webhooks, sender, clock },
  { params: { endpointId }, body: { gracePeriodSeconds } },
) {
  if (sender === undefined) return refuse('webhooks_unavailable');
  const endpoint = yield* wait(webhooks.get(endpointId));
  if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
  const createdAt = clock.now();
  const secret = sender.newSecret();
  yield* wait(webhooks.endSecrets(endpointId, createdAt + gracePeriodSeconds * 1_000));
  yield* wait(webhooks.addSecret({ endpointId, secret: sender.seal.seal(secret), createdAt }));
  return { status: 201, body: describeIssued(endpoint, secret), headers: NO_STORE };
};
