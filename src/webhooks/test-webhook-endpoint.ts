import { refuse } from '../http/contract/errors.ts';
import type { Handler, Prepare } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import {
  describeAttempt,
  ENDPOINT_PARAMS,
  type PingDeps,
  WebhookTest,
} from './webhook-resource.ts';
import type { Attempt } from './webhook-sender.ts';

export const testWebhookEndpoint = operation({
  id: 'testWebhookEndpoint',
  method: 'post',
  path: '/webhook-endpoints/{endpointId}/test',
  tag: 'Webhooks',
  summary: 'Test a webhook endpoint',
  description:
    'Sends a signed `ping` to an endpoint, also to a disabled one, and says what became of it. Without `error`, it responded with 2xx ' +
    'within five seconds.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  responses: {
    200: {
      description: 'The ping was attempted.',
      schema: WebhookTest,
      example: { responseStatus: 204, durationMs: 12 },
      hasEntityTag: false,
    },
  },
  errors: ['webhook_endpoint_not_found', 'webhooks_unavailable'],
});

export const prepareTest: Prepare<typeof testWebhookEndpoint, PingDeps, Attempt> = async (
  { webhooks, sender, clock },
  { params: { endpointId } },
) => {
  if (sender === undefined) return refuse('webhooks_unavailable');
  const endpoint = await webhooks.get(endpointId);
  if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
  return sender.ping(endpoint.url, await webhooks.secretsOf(endpointId, clock.now()));
};

export const handleTestWebhookEndpoint: Handler<
  typeof testWebhookEndpoint,
  { readonly prepared: Attempt }
> = function* ({ prepared }) {
  return { status: 200, body: describeAttempt(yield* wait(prepared)) };
};
