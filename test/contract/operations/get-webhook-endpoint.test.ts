/** getWebhookEndpoint: GET /webhook-endpoints/{endpointId}. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';

const service = useService();

test.each(['1', '0', 'x', '9223372036854775807'])(
  'getWebhookEndpoint returns 404 for the unknown endpoint %s',
  async (id) => {
    const { code } = await service.request('GET', `/v1/webhook-endpoints/${id}`);
    expect(code).toBe('webhook_endpoint_not_found');
  },
);
