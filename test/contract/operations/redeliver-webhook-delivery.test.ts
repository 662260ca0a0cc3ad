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
  const { json } = await service.request('GET', `/v1/webhook-endpoints/${endpointId}/deliveries`);
  const attempt = { durationMs: 1, responseStatus: 500, error: 'unsuccessful_status' };
  const lastAttemptAt = '1970-01-01T00:00:00.001Z';
  expect(json).toMatchObject([{ status: 'failed', attempts: 10, lastAttemptAt, ...attempt }]);
  clock.advance(5_000);
  const path = `/v1/webhook-deliveries/${deliveryId}/redeliver`;
  expect((await service.request('POST', path)).status).toBe(202);
  const [delivery] = await database.read.webhooks.listDeliveries(endpointId, undefined, 1);
  expect(delivery).toMatchObject({ status: 'pending', attempts: 0, lastError: null });
  expect(delivery?.nextAt).toBe(clock.now());
});
