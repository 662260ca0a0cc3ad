/** deleteWebhookEndpoint: DELETE /webhook-endpoints/{endpointId}. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { addDelivery } from '../../support/webhook-receiver.ts';

const service = useService();

test('deleteWebhookEndpoint deletes an endpoint with its deliveries, and is 404 the second time', async () => {
  const { endpointId, deliveryId } = await addDelivery(service);
  const path = `/v1/webhook-endpoints/${endpointId}`;
  expect((await service.request('DELETE', path)).status).toBe(204);
  for (const [method, target] of [
    ['DELETE', path],
    ['GET', path],
    ['GET', `${path}/deliveries`],
    ['POST', `/v1/webhook-deliveries/${deliveryId}/redeliver`],
  ] as const)
    expect((await service.request(method, target)).status).toBe(404);
});
