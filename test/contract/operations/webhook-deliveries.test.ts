/**
 * Endpoints with deliveries.
 * listWebhookEndpoints: GET /webhook-endpoints.
 * deleteWebhookEndpoint: DELETE /webhook-endpoints/{endpointId}.
 * listWebhookDeliveries: GET /webhook-endpoints/{endpointId}/deliveries.
 * redeliverWebhookDelivery: POST /webhook-deliveries/{deliveryId}/redeliver.
 * replayWebhookDeliveries: POST /webhook-endpoints/{endpointId}/replay.
 */
import { expect, test } from 'bun:test';
import { addDelivery } from '../../support/webhook-receiver.ts';
import { useFreshService } from '../use-fresh-service.ts';

const service = useFreshService();

test('listWebhookEndpoints returns all endpoints by id, page by page, without their secrets', async () => {
  for (let count = 0; count < 3; count += 1) await addDelivery(service);
  const first = await service.request('GET', '/v1/webhook-endpoints?limit=2');
  expect(first.json).toMatchObject([{ id: 1 }, { id: 2 }]);
  expect(first.text).not.toContain('whsec_');
  expect((await service.request('GET', first.next ?? '')).json).toMatchObject([{ id: 3 }]);
});

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

test('listWebhookDeliveries returns the newest first, page by page', async () => {
  for (let count = 0; count < 3; count += 1)
    await service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  const { endpointId } = await addDelivery(service);
  const path = `/v1/webhook-endpoints/${endpointId}/deliveries`;
  const first = await service.request('GET', `${path}?limit=2`);
  const [event] = (await service.request('GET', '/v1/events?sort=-id')).json as { id: string }[];
  const next = '2027-01-01T00:00:00.000Z';
  const common = { endpointId, type: 'pet.created', status: 'pending', attempts: 0 };
  expect(first.json).toMatchObject([
    { ...common, subject: 'pets/3', eventId: event?.id, nextAttemptAt: next },
    { ...common, subject: 'pets/2' },
  ]);
  expect((await service.request('GET', first.next ?? '')).json).toMatchObject([
    { subject: 'pets/1' },
  ]);
});

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

test('replayWebhookDeliveries makes the events of a time due, also those that a disabled endpoint missed, and says how many', async () => {
  const add = () => service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  for (const _ of [1, 2, 3]) {
    await add();
    service.clock.advance(60_000);
  }
  const { endpointId } = await addDelivery(service);
  const replay = (body: object) =>
    service.request('POST', `/v1/webhook-endpoints/${endpointId}/replay`, { body });
  const minute = (count: number) => `2027-01-01T00:0${count}:00Z`;
  const { status, json } = await replay({ after: minute(1) });
  expect([status, json]).toEqual([202, { count: 2 }]);
  expect((await replay({ after: minute(0), until: minute(2) })).json).toEqual({ count: 2 });
  expect((await replay({ after: minute(0), onlyFailed: true })).json).toEqual({ count: 0 });
  expect((await replay({ until: minute(0) })).code).toBe('validation_failed');
  const disabled = { body: { status: 'disabled' } };
  await service.request('PATCH', `/v1/webhook-endpoints/${endpointId}`, disabled);
  service.clock.advance(60_000);
  await add();
  while (await service.database.sequenceEvents());
  expect((await replay({ after: minute(4) })).json).toEqual({ count: 1 });
});
