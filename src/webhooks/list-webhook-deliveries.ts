import type { EventReader } from '../events/event-store.ts';
import { refuse } from '../http/contract/errors.ts';
import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, pageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import {
  describeDelivery,
  ENDPOINT_PARAMS,
  EXAMPLE_DELIVERY,
  WebhookDelivery,
} from './webhook-resource.ts';
import type { WebhookReader } from './webhook-store.ts';

export const listWebhookDeliveries = operation({
  id: 'listWebhookDeliveries',
  method: 'get',
  path: '/webhook-endpoints/{endpointId}/deliveries',
  tag: 'Webhooks',
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Returns a page of deliveries, the newest first. They are kept as long as events.',
  scope: 'webhooks:admin',
  stability: 'beta',
  params: ENDPOINT_PARAMS,
  query: z.object(pageParameters('/webhook-endpoints/1/deliveries')),
  responses: {
    200: {
      description: 'A page of deliveries.',
      schema: pageOf(WebhookDelivery),
      example: [EXAMPLE_DELIVERY],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor', 'webhook_endpoint_not_found'],
});

interface Deps {
  readonly webhooks: WebhookReader;
  readonly events: EventReader;
  readonly baseUrl: string;
}

export const handleListWebhookDeliveries: DirectHandler<typeof listWebhookDeliveries, Deps> = (
  { webhooks, events, baseUrl },
  { params: { endpointId }, query: { limit, cursor } },
) =>
  chain(webhooks.get(endpointId), (endpoint) => {
    if (endpoint === undefined) return refuse('webhook_endpoint_not_found');
    const path = listWebhookDeliveries.path.replace('{endpointId}', String(endpointId));
    return chain(events.peek(), ({ generation }) =>
      page({ limit, cursor, baseUrl, path }, (beforeId, count) =>
        chain(webhooks.listDeliveries(endpointId, beforeId, count), (found) =>
          found.map((delivery) => describeDelivery(delivery, generation)),
        ),
      ),
    );
  });
