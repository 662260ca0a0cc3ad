import { refuse } from '../http/contract/errors.ts';
import type { Handler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { wait } from '../steps.ts';
import { describeEndpoint, ENDPOINT_PARAMS } from './webhook-resource.ts';
import type { WebhookStore } from './webhook-store.ts';

export const deleteWebhookEndpoint = operation({
  id: 'deleteWebhookEndpoint',
  method: 'delete',
  path: '/webhook-endpoints/{endpointId}',
  tag: 'Webhooks',
  summary: 'Delete a webhook endpoint',
  description: 'Deletes an endpoint with its secret and its deliveries. It gets nothing more.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  responses: { 204: { description: 'The endpoint was deleted.' } },
  errors: ['webhook_endpoint_not_found', 'precondition_failed', 'precondition_required'],
});

export const handleDeleteWebhookEndpoint: Handler<
  typeof deleteWebhookEndpoint,
  { readonly webhooks: WebhookStore }
> = function* ({ webhooks }, { params: { endpointId }, precondition }) {
  const endpoint = yield* wait(webhooks.get(endpointId));
  if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
  const unmet = precondition(describeEndpoint(endpoint));
  if (unmet) return unmet;
  yield* wait(webhooks.remove(endpointId));
  return { status: 204 };
};
