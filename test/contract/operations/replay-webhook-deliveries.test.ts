/** replayWebhookDeliveries: POST /webhook-endpoints/{endpointId}/replay. */
import { expect, test } from 'bun:test';
import { useService } from '../../support/service.ts';
import { addDelivery } from '../../support/webhook-receiver.ts';

const service = useService();

test('replayWebhookDeliveries makes the events of a time due, and says how many', async () => {
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
});

test('replayWebhookDeliveries includes the events that a disabled endpoint missed', async () => {
  const { endpointId } = await addDelivery(service);
  const path = `/v1/webhook-endpoints/${endpointId}`;
  await service.request('PATCH', path, { body: { status: 'disabled' } });
  service.clock.advance(60_000);
  const after = new Date(service.clock.now()).toISOString();
  await service.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  while (await service.database.sequenceEvents());
  const replay = await service.request('POST', `${path}/replay`, { body: { after } });
  expect(replay.json).toEqual({ count: 1 });
});
