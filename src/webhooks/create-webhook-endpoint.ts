import { type Clock, toIso } from '../clock.ts';
import { refuse } from '../http/contract/errors.ts';
import type { Handler, Prepare } from '../http/contract/handler.ts';
import { ALWAYS_NO_STORE, NO_STORE } from '../http/contract/no-store.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import {
  describeIssued,
  EXAMPLE_ENDPOINT,
  EXAMPLE_SECRET,
  IssuedWebhookEndpoint,
  NewWebhookEndpoint,
  refuseEndpoint,
  typesText,
  verify,
} from './webhook-resource.ts';
import type { WebhookSender } from './webhook-sender.ts';
import type { WebhookStore } from './webhook-store.ts';

export const createWebhookEndpoint = operation({
  id: 'createWebhookEndpoint',
  method: 'post',
  path: '/webhook-endpoints',
  tag: 'Webhooks',
  summary: 'Create a webhook endpoint',
  description:
    'Creates a receiver of the events that follow, and returns it with the secret that signs them. Before, the service sends a signed ' +
    '`ping`: the receiver must respond with 2xx within five seconds. Each event is delivered at least once, in any order. The signature ' +
    'follows Standard Webhooks.',
  scope: 'webhooks:admin',
  stability: 'beta',
  body: {
    schema: NewWebhookEndpoint,
    examples: { sales: { url: EXAMPLE_ENDPOINT.url, types: EXAMPLE_ENDPOINT.types } },
  },
  responses: {
    201: {
      description: 'The endpoint was created.',
      schema: IssuedWebhookEndpoint,
      example: { ...EXAMPLE_ENDPOINT, secret: EXAMPLE_SECRET },
      headers: ALWAYS_NO_STORE,
    },
  },
  errors: ['validation_failed', 'endpoint_unverified', 'scope_missing', 'webhooks_unavailable'],
});

interface Rules {
  readonly sender: WebhookSender | undefined;
}

interface Prepared {
  readonly secret: Uint8Array;
  readonly sealed: Uint8Array;
}

interface Deps {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly prepared: Prepared;
}

export const prepareCreation: Prepare<typeof createWebhookEndpoint, Rules, Prepared> = async (
  { sender },
  { body, scopes },
) => {
  if (sender === undefined) return refuse('webhooks_unavailable');
  const refusal = refuseEndpoint(body, scopes, sender);
  if (refusal) return refusal;
  const secret = sender.newSecret();
  const sealed = sender.seal.seal(secret);
  return (await verify(sender, body.url, [sealed])) ?? { secret, sealed };
};

export const handleCreateWebhookEndpoint: Handler<typeof createWebhookEndpoint, Deps> = function* (
  { webhooks, clock, prepared: { secret, sealed } },
  { body: { url, types } },
) {
  const createdAt = clock.now();
  const endpoint = yield* wait(
    webhooks.add({
      url,
      ...(types && { types: typesText(types) }),
      status: 'enabled',
      createdAt: toIso(createdAt),
    }),
  );
  yield* wait(webhooks.addSecret({ endpointId: endpoint.id, secret: sealed, createdAt }));
  return { status: 201, body: describeIssued(endpoint, secret), headers: NO_STORE };
};
