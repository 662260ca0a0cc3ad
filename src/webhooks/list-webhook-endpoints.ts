import type { DirectHandler } from '../http/contract/handler.ts';
import { operation } from '../http/contract/operation.ts';
import { PAGE_HEADERS, page, pageOf, pageParameters } from '../http/contract/page.ts';
import { z } from '../http/contract/zod.ts';
import { chain } from '../maybe-promise.ts';
import { describeEndpoint, EXAMPLE_ENDPOINT, WebhookEndpointBody } from './webhook-resource.ts';
import type { WebhookReader } from './webhook-store.ts';

export const listWebhookEndpoints = operation({
  id: 'listWebhookEndpoints',
  method: 'get',
  path: '/webhook-endpoints',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  description: 'Returns a page of all endpoints, ascending by id, without their secrets.',
  scope: 'webhooks:admin',
  stability: 'beta',
  query: z.object(pageParameters('/webhook-endpoints')),
  responses: {
    200: {
      description: 'A page of endpoints.',
      schema: pageOf(WebhookEndpointBody),
      example: [EXAMPLE_ENDPOINT],
      headers: PAGE_HEADERS,
    },
  },
  errors: ['invalid_parameter', 'invalid_cursor'],
});

interface Deps {
  readonly webhooks: WebhookReader;
  readonly baseUrl: string;
}

export const handleListWebhookEndpoints: DirectHandler<typeof listWebhookEndpoints, Deps> = (
  { webhooks, baseUrl },
  { query: { limit, cursor } },
) =>
  page({ limit, cursor, baseUrl, path: listWebhookEndpoints.path }, (afterId, count) =>
    chain(webhooks.listEndpoints(afterId, count), (found) => found.map(describeEndpoint)),
  );
