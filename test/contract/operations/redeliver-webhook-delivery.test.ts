/** redeliverWebhookDelivery: POST /webhook-deliveries/{deliveryId}/redeliver. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { addDelivery } from '../../support/webhook-receiver.ts';

const service = useService();

test('redeliverWebhookDelivery makes a delivery due', async () => {
  await service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  const { endpointId, deliveryId } = await addDelivery(service);
  const result = { attempts: 10, nextAt: null, attemptedAt: 1, durationMs: 1, lastStatus: 500 };
  const { database, clock } = service;
  await database.write({ actor: { keyId: 1 }, at: 1 }, ({ webhooks }) =>
    webhooks.settle(deliveryId, 0, {
      ...result,
      status: 'failed',
      lastError: 'unsuccessful_status',
    }),
  );
  clock.advance(5_000);
  const path = `/v1/webhook-deliveries/${deliveryId}/redeliver`;
  expect((await service.request('POST', path)).status).toBe(202);
  const [delivery] = await database.read.webhooks.listDeliveries(endpointId, undefined, 1);
  expect(delivery).toMatchObject({ status: 'pending', attempts: 0, nextAt: clock.now() });
});
