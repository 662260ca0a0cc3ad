import { refuse } from '../http/contract/errors.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { chain } from '../maybe-promise.ts';
import {
  describeEndpoint,
  ENDPOINT_PARAMS,
  EXAMPLE_ENDPOINT,
  WebhookEndpointBody,
} from './webhook-resource.ts';
import type { WebhookReader } from './webhook-store.ts';

export const getWebhookEndpoint = operation({
  id: 'getWebhookEndpoint',
  method: 'get',
  path: '/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Get a webhook endpoint',
  description: 'Returns one endpoint, without its secret.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  responses: {
    200: {
      description: 'The endpoint.',
      schema: WebhookEndpointBody,
      example: EXAMPLE_ENDPOINT,
    },
  },
  errors: ['webhook_endpoint_not_found'],
});

interface Deps {
  readonly webhooks: WebhookReader;
}

export const handleGetWebhookEndpoint: DirectHandler<typeof getWebhookEndpoint, Deps> = (
  { webhooks },
  { params: { endpointId } },
) =>
  chain(webhooks.get(endpointId), (endpoint) =>
    endpoint
      ? { status: 200, body: describeEndpoint(endpoint) }
      : refuse('webhook_endpoint_not_found'),
  );
